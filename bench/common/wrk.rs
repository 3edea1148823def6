//! Load by `wrk`, from Debian's package of that name.

use std::{
    fmt::Write as _,
    fs,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};

/// What wrk saw.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub per_second: f64,
    /// Milliseconds.
    pub p99: f64,
}

/// Asks for these paths in turn, again and again, over so many connections for so many seconds.
pub fn load(
    address: &str,
    paths: &[String],
    cookie: Option<&str>,
    connections: usize,
    seconds: u64,
    folder: &Path,
) -> Result<Seen> {
    let mut script = String::from("local paths = {\n");
    for path in paths {
        writeln!(script, "  [[{path}]],")?;
    }
    script.push_str("}\nlocal headers = { [\"accept-encoding\"] = \"br\" }\n");
    if let Some(cookie) = cookie {
        writeln!(script, "headers[\"cookie\"] = [[{cookie}]]")?;
    }
    // Formatting a request costs more than a small answer does: it is done once.
    script.push_str(
        "local requests, turn = {}, 0\n\
         init = function() for i, path in ipairs(paths) do requests[i] = wrk.format(nil, path, headers) end end\n\
         request = function() turn = turn % #requests + 1 return requests[turn] end\n",
    );
    let file = folder.join("load.lua");
    fs::write(&file, script)?;
    let seen = wrk(&[
        "--latency",
        // Some of those that are compared with take their time; an answer that is late still counts as late.
        "--timeout",
        "60s",
        "-t1",
        &format!("-c{connections}"),
        &format!("-d{seconds}s"),
        "-s",
        &file.display().to_string(),
        &format!("http://{address}"),
    ])?;
    ensure!(!seen.contains("Non-2xx"), "some answers were refusals:\n{seen}");
    ensure!(!seen.contains("Socket errors"), "some requests got no answer:\n{seen}");
    let value = |name: &str| -> Result<&str> {
        let line = seen.lines().find_map(|line| line.trim().strip_prefix(name));
        Ok(line.with_context(|| format!("no {name} in\n{seen}"))?.trim())
    };
    Ok(Seen { per_second: value("Requests/sec:")?.parse()?, p99: milliseconds(value("99%")?)? })
}

#[expect(clippy::disallowed_methods, reason = "the bench runs what it measures with")]
fn wrk(arguments: &[&str]) -> Result<String> {
    let output = Command::new("wrk").args(arguments).stderr(Stdio::inherit()).output();
    let output = output.context("wrk is missing; on Debian: sudo apt-get install wrk")?;
    ensure!(output.status.success(), "wrk failed");
    Ok(String::from_utf8(output.stdout)?)
}

fn milliseconds(text: &str) -> Result<f64> {
    let units = [("us", 0.001), ("ms", 1.0), ("s", 1000.0), ("m", 60_000.0)];
    let found = units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)));
    let (number, factor) = found.with_context(|| format!("{text:?} is no time"))?;
    Ok(number.parse::<f64>()? * factor)
}
