//! Count the lines of a file. With --json, standard output is one result and nothing else.
use std::io::{self, ErrorKind, Read, Write};
use std::process::exit;
use std::{env, ffi::OsString, fmt::Write as _, fs::File};

/// The members of a result, in order, each value written as JSON.
type Document = Vec<(&'static str, String)>;

fn main() {
    let (mut files, mut json, mut wrong, mut options) = (vec![], false, false, true);
    for word in env::args_os().skip(1) {
        if options && word == "--" {
            options = false;
        } else if options && word == "--json" {
            json = true;
        } else if options && word.to_string_lossy().starts_with('-') {
            wrong = true;
        } else {
            files.push(word);
        }
    }
    let usage = "Name one file: count-lines [--json] [--] FILE";
    let (mut status, message, fields) = match files.pop() {
        Some(file) if files.is_empty() && !wrong => count_lines(file),
        _ => (2, usage.to_string(), vec![("error_code", quoted("usage_error"))]),
    };
    let mut text = message.clone();
    if json {
        text = format!("{{\"success\":{},\"message\":{}", status == 0, quoted(&message));
        for (name, value) in fields {
            write!(text, ",\"{}\":{}", name, value).unwrap();
        }
        text.push('}');
    }
    text.push('\n');
    let told = if json || status == 0 {
        io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush())
    } else {
        io::stderr().write_all(text.as_bytes())
    };
    if told.is_err() {
        status = 1; // What could not be told did not succeed.
    }
    exit(status);
}

fn count_lines(file: OsString) -> (i32, String, Document) {
    let path = match file.into_string() {
        Ok(path) => path,
        Err(_) => {
            let message = "The file's name is not UTF-8, so no result can tell it.".to_string();
            return (1, message, vec![("error_code", quoted("path_not_text"))]);
        }
    };
    let error = match lines_of(&path) {
        Ok(count) => {
            let fields = vec![("path", quoted(&path)), ("line_count", count.to_string())];
            return (0, format!("Lines in {}: {}.", path, count), fields);
        }
        Err(error) => error,
    };
    let (code, what) = match (error.kind(), error.raw_os_error()) {
        (ErrorKind::NotFound, _) => ("path_not_found", "was not found"),
        (ErrorKind::PermissionDenied, _) => ("permission_denied", "may not be read"),
        (_, Some(21)) => ("not_a_file", "is a folder"), // EISDIR
        _ => ("os_error", "could not be read"),
    };
    let fields = vec![
        ("error", quoted(&error.to_string())),
        ("error_code", quoted(code)),
        ("path", quoted(&path)),
    ];
    (1, format!("{} {}.", path, what), fields)
}

fn lines_of(path: &str) -> io::Result<u64> {
    let mut file = File::open(path)?;
    let (mut count, mut last, mut buffer) = (0, b'\n', vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(count + u64::from(last != b'\n')), // The last line may lack its end.
            Ok(n) => {
                count += buffer[..n].iter().filter(|&&byte| byte == b'\n').count() as u64;
                last = buffer[n - 1];
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A text as JSON: the standard library has no writer of it.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\0'..='\x1f' => write!(out, "\\u{:04x}", character as u32).unwrap(),
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}
