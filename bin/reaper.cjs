#!/usr/bin/env node
'use strict';
/** A reaper process: started by the runtime, never by a person. */
require('./load.cjs').program('reaper').main();
