//! Drives a browser by the WebDriver protocol: JSON over HTTP to `chromedriver`, a connection for each
//! command.
//!
//! Source: <https://www.w3.org/TR/webdriver2/>; the commands under `goog/cdp` are chromedriver's own.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a page may take to become what is expected of it.
const PATIENCE: Duration = Duration::from_secs(30);

/// The keys that have no letter, as WebDriver numbers them.
const KEYS: [(&str, &str); 4] =
    [("enter", "\u{e007}"), ("escape", "\u{e00c}"), ("left", "\u{e012}"), ("up", "\u{e013}")];

/// A browser with one window; it ends with this value.
pub(super) struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    /// Starts the driver and a browser without a window on the screen.
    pub(super) fn new(driver: &Path, chromium: &Path) -> Result<Self, String> {
        let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
        let port = free.map_err(|error| format!("no port is free: {error}"))?.port();
        let driver = Command::new(driver)
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", driver.display()))?;
        let mut browser = Browser { driver, port, session: String::new() };
        let begun = Instant::now();
        while browser.ask("GET", "/status", &Value::Null).is_err() && begun.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(20));
        }
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

    /// Presses the mouse at the middle of one element, and lets go there or at another.
    pub(super) fn drag(&self, from: &str, to: Option<&str>) -> Result<(), String> {
        let go =
            |(x, y): (i64, i64), ms: u32| json!({ "type": "pointerMove", "duration": ms, "x": x, "y": y });
        let from = self.middle(from)?;
        let mut actions = vec![go(from, 0), json!({ "type": "pointerDown", "button": 0 })];
        if let Some(to) = to {
            let to = self.middle(to)?;
            actions.extend([go(((from.0 + to.0) / 2, (from.1 + to.1) / 2), 60), go(to, 60)]);
        }
        actions.push(json!({ "type": "pointerUp", "button": 0 }));
        self.act(&json!({ "type": "pointer", "id": "mouse", "actions": actions }))
    }

    /// Presses keys one after the other, wherever the focus is.
    pub(super) fn press(&self, keys: &str) -> Result<(), String> {
        let named = |key: &'_ str| {
            let own = KEYS.iter().find(|(name, _)| *name == key);
            own.map_or_else(|| key.to_owned(), |(_, number)| (*number).to_owned())
        };
        let key = |key: &str| ["keyDown", "keyUp"].map(|what| json!({ "type": what, "value": named(key) }));
        let actions: Vec<Value> = keys.split(' ').flat_map(key).collect();
        self.act(&json!({ "type": "key", "id": "keys", "actions": actions }))
    }

    fn act(&self, actions: &Value) -> Result<(), String> {
        self.tell("/actions", &json!({ "actions": [actions] })).map(drop)
    }

    /// Sends a command of the browser's own protocol.
    pub(super) fn command(&self, name: &str, parameters: &Value) -> Result<(), String> {
        self.tell("/goog/cdp/execute", &json!({ "cmd": name, "params": parameters })).map(drop)
    }

    /// Saves what the window shows.
    pub(super) fn picture(&self, file: &Path) -> Result<(), String> {
        let taken = self.ask("GET", &format!("{}/screenshot", self.session), &Value::Null)?;
        let text = taken.as_str().ok_or("the driver takes no picture")?;
        let bytes =
            BASE64_STANDARD.decode(text).map_err(|error| format!("the picture is no base64: {error}"))?;
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

#[cfg(test)]
mod tests {
    use super::read_answer;

    #[test]
    fn answers_of_a_driver_are_read() {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\ncache-control: no-cache\r\n\r\n{\"a\"rest";
        assert_eq!(read_answer(&answer[..]).unwrap(), b"{\"a\"");
    }
}
