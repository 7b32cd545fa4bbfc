//! Drives a browser by the WebDriver protocol: JSON over HTTP to `chromedriver`, a connection for each
//! command.
//!
//! Source: <https://www.w3.org/TR/webdriver2/>; the commands under `goog/cdp` are chromedriver's own.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a page may take to become what is expected of it.
const PATIENCE: Duration = Duration::from_secs(30);

/// A browser with one window; it ends with this value.
pub(super) struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    /// Starts the driver and a browser without a window on the screen.
    pub(super) fn new(driver: &Path, chromium: &Path) -> Result<Self, String> {
        let mut child = Command::new(driver)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", driver.display()))?;
        let out = child.stdout.take().ok_or("the driver has no output")?;
        let port = port_in(BufReader::new(out)).ok_or("the driver does not say its port")?;
        let mut browser = Browser { driver: child, port, session: String::new() };
        let options = json!({
            "binary": chromium,
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,1000"],
        });
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": options, "goog:loggingPrefs": { "browser": "ALL" },
        } } });
        let session = browser.ask("POST", "/session", &wanted)?;
        let id = session["sessionId"].as_str().ok_or("the driver gives no session")?;
        browser.session = format!("/session/{id}");
        Ok(browser)
    }

    pub(super) fn open(&self, url: &str) -> Result<(), String> {
        self.tell("/url", &json!({ "url": url })).map(drop)
    }

    /// What a piece of script returns.
    pub(super) fn script(&self, script: &str) -> Result<Value, String> {
        self.tell("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Waits until a piece of script returns something that is true; it may look at what is not there yet.
    pub(super) fn wait(&self, condition: &str) -> Result<(), String> {
        let begun = Instant::now();
        let script = format!("try {{ return Boolean({condition}) }} catch (error) {{ return false }}");
        while begun.elapsed() < PATIENCE {
            if self.script(&script)? == true {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let seen = self.script("return document.body.innerText.slice(0, 600)")?;
        Err(format!("never true: {condition}\nthe page says: {}", seen.as_str().unwrap_or_default()))
    }

    /// Presses the mouse at the middle of one element, moves to another, and lets go.
    pub(super) fn drag(&self, from: &str, to: &str) -> Result<(), String> {
        let (from, to) = (self.middle(from)?, self.middle(to)?);
        let go =
            |(x, y): (i64, i64), ms: u32| json!({ "type": "pointerMove", "duration": ms, "x": x, "y": y });
        let half = ((from.0 + to.0) / 2, (from.1 + to.1) / 2);
        let actions = json!([
            go(from, 0), { "type": "pointerDown", "button": 0 }, go(half, 60), go(to, 60), { "type": "pointerUp", "button": 0 },
        ]);
        self.tell(
            "/actions",
            &json!({ "actions": [{ "type": "pointer", "id": "mouse", "actions": actions }] }),
        )
        .map(drop)
    }

    pub(super) fn click(&self, selector: &str) -> Result<(), String> {
        let at = self.middle(selector)?;
        let actions = json!([
            { "type": "pointerMove", "duration": 0, "x": at.0, "y": at.1 },
            { "type": "pointerDown", "button": 0 }, { "type": "pointerUp", "button": 0 },
        ]);
        self.tell(
            "/actions",
            &json!({ "actions": [{ "type": "pointer", "id": "mouse", "actions": actions }] }),
        )
        .map(drop)
    }

    /// Presses keys one after the other, wherever the focus is. Keys without a letter have numbers of their
    /// own in the protocol.
    pub(super) fn press(&self, keys: &[&str]) -> Result<(), String> {
        let actions: Vec<Value> = keys
            .iter()
            .flat_map(|key| ["keyDown", "keyUp"].map(|what| json!({ "type": what, "value": key })))
            .collect();
        self.tell("/actions", &json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] }))
            .map(drop)
    }

    /// Sends a command of the browser's own protocol.
    pub(super) fn command(&self, name: &str, parameters: &Value) -> Result<Value, String> {
        self.tell("/goog/cdp/execute", &json!({ "cmd": name, "params": parameters }))
    }

    /// Saves what the window shows.
    pub(super) fn picture(&self, file: &Path) -> Result<(), String> {
        let taken = self.ask("GET", &format!("{}/screenshot", self.session), &Value::Null)?;
        let text = taken.as_str().ok_or("the driver takes no picture")?;
        let bytes = from_base64(text).ok_or("the picture is no base64")?;
        std::fs::write(file, bytes).map_err(|error| format!("cannot write {}: {error}", file.display()))
    }

    /// What went wrong in scripts since the last call.
    pub(super) fn script_errors(&self) -> Result<Vec<String>, String> {
        let log = self.tell("/se/log", &json!({ "type": "browser" }))?;
        let entries = log.as_array().cloned().unwrap_or_default();
        let message = |entry: &Value| entry["message"].as_str().unwrap_or_default().to_owned();
        let is_ours = |text: &String| text.contains("Uncaught") || text.contains("Content Security Policy");
        Ok(entries.iter().map(message).filter(is_ours).collect())
    }

    fn middle(&self, selector: &str) -> Result<(i64, i64), String> {
        let quoted = json!(selector);
        let script = format!(
            "const element = document.querySelector({quoted}); if (!element) return null; \
             element.scrollIntoView({{ block: 'nearest' }}); const box = element.getBoundingClientRect(); \
             return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]"
        );
        let at = self.script(&script)?;
        match (at[0].as_i64(), at[1].as_i64()) {
            (Some(x), Some(y)) => Ok((x, y)),
            _ => Err(format!("the page has no {selector}")),
        }
    }

    fn tell(&self, path: &str, body: &Value) -> Result<Value, String> {
        self.ask("POST", &format!("{}{path}", self.session), body)
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let failed = |error: std::io::Error| format!("the driver does not answer {path}: {error}");
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(failed)?;
        stream.set_read_timeout(Some(2 * PATIENCE)).map_err(failed)?;
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).map_err(failed)?;
        let answer = read_answer(BufReader::new(stream)).map_err(failed)?;
        let mut answer: Value =
            serde_json::from_slice(&answer).map_err(|error| format!("{path}: {error}"))?;
        let value = answer["value"].take();
        match value["error"].as_str() {
            Some(error) => Err(format!("{path}: {error}: {}", value["message"].as_str().unwrap_or_default())),
            None => Ok(value),
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Whatever is left of them is no reason to fail.
        if !self.session.is_empty() {
            drop(self.ask("DELETE", &self.session.clone(), &Value::Null));
        }
        drop(self.driver.kill());
        drop(self.driver.wait());
    }
}

/// The body of an answer that says how long it is.
fn read_answer(mut reader: impl BufRead) -> std::io::Result<Vec<u8>> {
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line)? > 0 && !line.trim().is_empty() {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().map_err(std::io::Error::other)?;
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

/// The port in the driver's first lines; the rest is read away, so that it never waits for a reader.
fn port_in(mut out: impl BufRead + Send + 'static) -> Option<u16> {
    let mut line = String::new();
    while out.read_line(&mut line).ok()? > 0 {
        if line.contains("started successfully") {
            let port = line.rsplit(' ').next()?.trim().trim_end_matches('.').parse().ok()?;
            std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
            return Some(port);
        }
        line.clear();
    }
    None
}

/// Reads base64 with its padding; none if it is something else.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut bytes, mut bits, mut n_bits) = (Vec::new(), 0u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        bits = bits << 6 | u32::from(digit(byte)?);
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            bytes.push((bits >> n_bits) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{from_base64, port_in, read_answer};

    #[test]
    fn answers_of_a_driver_are_read() {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\ncache-control: no-cache\r\n\r\n{\"a\"rest";
        assert_eq!(read_answer(&answer[..]).unwrap(), b"{\"a\"");
        let lines = "Starting ChromeDriver 1.2\nChromeDriver was started successfully on port 4711.\n";
        assert_eq!(port_in(lines.as_bytes()), Some(4711));
        assert_eq!(port_in(&b"nothing\n"[..]), None);
        let read = |text| from_base64(text).map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(read("TWFu").as_deref(), Some("Man"));
        assert_eq!(read("TWE=").as_deref(), Some("Ma"));
        assert_eq!(read("T!=="), None);
    }
}
