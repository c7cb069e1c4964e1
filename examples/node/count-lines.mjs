#!/usr/bin/env node
// Count the lines of a file. With --json, standard output is one result and nothing else.
import { createReadStream } from "node:fs";

const KINDS = {
  ENOENT: ["path_not_found", "was not found"],
  EACCES: ["permission_denied", "may not be read"],
  EPERM: ["permission_denied", "may not be read"],
  EISDIR: ["not_a_file", "is a folder"],
};

async function countLines(words) {
  const end = words.indexOf("--");
  const options = end < 0 ? words : words.slice(0, end);
  const files = options.filter((word) => !word.startsWith("-"));
  if (end >= 0) files.push(...words.slice(end + 1));
  if (options.some((word) => word.startsWith("-") && word !== "--json") || files.length !== 1)
    return failure("Name one file: count-lines [--json] [--] FILE", { error_code: "usage_error" });
  const [path] = files;
  // Node has put U+FFFD in place of what is not UTF-8: which file is meant, nobody knows.
  if (/[\uFFFD\p{Surrogate}]/u.test(path))
    return failure("The file's name is not UTF-8, so no result can tell it.", { error_code: "path_not_text" });
  try {
    let lines = 0;
    let last = 10;
    for await (const chunk of createReadStream(path)) {
      for (const byte of chunk) if (byte === 10) lines++;
      last = chunk[chunk.length - 1];
    }
    if (last !== 10) lines++; // The last line may lack its line feed.
    return { success: true, message: `Lines in ${path}: ${lines}.`, path, line_count: lines };
  } catch (error) {
    const [error_code, what] = KINDS[error.code] ?? ["os_error", "could not be read"];
    return failure(`${path} ${what}.`, { error: error.message, error_code, path });
  }
}

function failure(message, fields) {
  return { success: false, message, ...fields };
}

const words = process.argv.slice(2);
const result = await countLines(words);
const end = words.indexOf("--");
const json = words.slice(0, end < 0 ? undefined : end).includes("--json");
if (json) process.stdout.write(JSON.stringify(result) + "\n");
else (result.success ? process.stdout : process.stderr).write(result.message + "\n");
// Not process.exit, which would not wait for the output. If that cannot be written, it is 1.
process.exitCode = result.success ? 0 : result.error_code === "usage_error" ? 2 : 1;
