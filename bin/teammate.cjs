#!/usr/bin/env node
'use strict';
/** A teammate process: started by the runtime, never by a person. */
require('./load.cjs').program('teammate').main();
