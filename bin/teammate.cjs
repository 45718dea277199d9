#!/usr/bin/env node
'use strict';
/** A teammate process: started by the runtime, never by a person. */
const { program, load, optimizeLateOnceWorking } = require('./load.cjs');

/** Verbs of programs in isolation run in this process; the bundle is read at the first of them. */
const commandLine = (...call) => load('teams').exports.main(...call);

optimizeLateOnceWorking();
program('teammate').main(commandLine);
