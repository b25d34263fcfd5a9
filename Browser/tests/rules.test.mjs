// The decisions, run by Node.
import { test } from "node:test";
import { tests } from "./decisions.mjs";

for (const { name, run } of tests) test(name, run);
