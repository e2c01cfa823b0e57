//! A port: your run behind the wire protocol of the agent run contract, in which the suite asks for things.
//!
//!     rustc -O adapter.rs -o port
//!     pytest --pyargs agent_run_tck --impl="exec:./port"
//!
//! spec/protocol.md of the contract says what each request and notification means, spec/ports.md in which order to
//! write what is still to do. Standard output is for the suite alone; `eprintln!` goes where you see it.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::panic::{self, AssertUnwindSafe};

use json::Value;

/// What there is still to do. An operation that you add to the match in `perform` is asked from then on.
fn to_do(op: &str) -> &'static str {
    match op {
        @TO_DO@
        _ => "the protocol says what it is",
    }
}

/// Why there is no answer; the code is one of those in the protocol. What your run refuses is `raised`.
struct Fault {
    code: &'static str,
    message: String,
}

impl Fault {
    fn told(&self) -> Value {
        Value::object([("code", self.code.into()), ("message", self.message.as_str().into())])
    }
}

/// Does what is asked, and returns what the reply has as `ok`.
fn perform(request: &Value) -> Result<Value, Fault> {
    match request.text("op") {
        "hello" => Ok(Value::object([
            ("protocol", Value::Number("1".into())),
            ("contract", request.get("contract").clone()),
            ("name", "my run".into()), // what the report calls it
            ("version", "".into()),
            ("language", "Rust".into()),
            // A declared capability binds: with threads, an operation that blocks must not hold up any other.
            ("capabilities", Value::object([("threads", Value::Bool(true))])),
        ])),
        "forget" => Ok(Value::Null), // let go of the runs, events and gates that it names, as soon as you keep any
        "bye" => Ok(Value::Null),
        // Your operations go here.
        op => Err(Fault { code: "unsupported", message: format!("write {op}: {}", to_do(op)) }),
    }
}

/// Performs a request and sends the reply; what went wrong. A step of a script is answered in the same way, and where
/// something went wrong the script ends.
fn answer(request: &Value) -> Option<Fault> {
    // Where your run throws, it panics; no request may go without a reply.
    let panicked = |_| Err(Fault { code: "raised", message: "it panicked; standard error says where".to_string() });
    let performed = panic::catch_unwind(AssertUnwindSafe(|| perform(request))).unwrap_or_else(panicked);
    let (name, value, fault) = match performed {
        Ok(value) => ("ok", value, None),
        Err(fault) => ("error", fault.told(), Some(fault)),
    };
    send(&Value::object([("id", request.get("id").clone()), (name, value)]));
    fault
}

/// Writes a message whole, from whichever thread.
fn send(message: &Value) {
    let line = format!("{message}\n");
    let mut out = std::io::stdout().lock();
    if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
        std::process::exit(1); // nobody listens any more
    }
}

fn main() {
    for line in std::io::stdin().lock().lines() {
        let (request, whole) = match json::parse(&line.unwrap_or_default()) {
            Ok(parsed) => parsed,
            Err(why) => {
                eprintln!("this is no request: {why}");
                std::process::exit(1);
            }
        };
        if !whole {
            let fault = Fault { code: "raised", message: "half of a character is no text in Rust".to_string() };
            send(&Value::object([("id", request.get("id").clone()), ("error", fault.told())]));
            continue;
        }
        if request.text("op") == "hello" || request.text("op") == "bye" {
            let fault = answer(&request);
            if fault.is_none() && request.text("op") == "hello" {
                continue;
            }
            std::process::exit(0);
        }
        std::thread::spawn(move || answer(&request)); // any operation may block
    }
    std::process::exit(0);
}

/// Just enough JSON, because the standard library has none. Where you have serde_json, use that.
mod json {
    use super::BTreeMap;
    use std::fmt::{Display, Formatter, Result as Written, Write};
    use std::iter::Peekable;
    use std::str::Chars;

    /// A number is kept as it is written: nothing is lost on the way.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Value {
        Null,
        Bool(bool),
        Number(String),
        Text(String),
        List(Vec<Value>),
        Object(BTreeMap<String, Value>),
    }

    impl Value {
        pub fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
            Value::Object(fields.map(|(name, value)| (name.to_string(), value)).into())
        }

        /// A field of an object; null where there is none.
        pub fn get(&self, name: &str) -> &Value {
            match self {
                Value::Object(fields) => fields.get(name).unwrap_or(&Value::Null),
                _ => &Value::Null,
            }
        }

        /// A field that is a string; the empty string where there is none.
        pub fn text(&self, name: &str) -> &str {
            match self.get(name) {
                Value::Text(text) => text,
                _ => "",
            }
        }
    }

    impl From<&str> for Value {
        fn from(text: &str) -> Value {
            Value::Text(text.to_string())
        }
    }

    impl Display for Value {
        fn fmt(&self, out: &mut Formatter<'_>) -> Written {
            match self {
                Value::Null => out.write_str("null"),
                Value::Bool(value) => write!(out, "{value}"),
                Value::Number(digits) => out.write_str(digits),
                Value::Text(text) => write_text(out, text),
                Value::List(items) => write_items(out, '[', ']', items.iter(), |out, item| write!(out, "{item}")),
                Value::Object(fields) => write_items(out, '{', '}', fields.iter(), |out, (name, value)| {
                    write_text(out, name)?;
                    write!(out, ":{value}")
                }),
            }
        }
    }

    fn write_items<T>(
        out: &mut Formatter<'_>,
        open: char,
        close: char,
        items: impl Iterator<Item = T>,
        write_item: impl Fn(&mut Formatter<'_>, T) -> Written,
    ) -> Written {
        out.write_char(open)?;
        for (nth, item) in items.enumerate() {
            if nth > 0 {
                out.write_char(',')?;
            }
            write_item(out, item)?;
        }
        out.write_char(close)
    }

    fn write_text(out: &mut Formatter<'_>, text: &str) -> Written {
        out.write_char('"')?;
        for character in text.chars() {
            match character {
                '"' | '\\' => write!(out, "\\{character}")?,
                control if control < ' ' => write!(out, "\\u{:04x}", control as u32)?,
                other => out.write_char(other)?,
            }
        }
        out.write_char('"')
    }

    /// The value, and whether it is whole: half of a character (a lone surrogate) has no form in Rust.
    pub fn parse(text: &str) -> Result<(Value, bool), String> {
        let mut parser = Parser { rest: text.chars().peekable(), whole: true };
        let value = parser.value()?;
        parser.blanks();
        let whole = parser.whole;
        parser.rest.next().map_or(Ok((value, whole)), |extra| Err(format!("{extra} comes after the end")))
    }

    struct Parser<'a> {
        rest: Peekable<Chars<'a>>,
        whole: bool,
    }

    impl Parser<'_> {
        fn value(&mut self) -> Result<Value, String> {
            self.blanks();
            match self.rest.peek() {
                Some('{') => self.object(),
                Some('[') => self.list(),
                Some('"') => self.text().map(Value::Text),
                Some('-' | '0'..='9') => Ok(Value::Number(self.word())),
                _ => match self.word().as_str() {
                    "null" => Ok(Value::Null),
                    "true" => Ok(Value::Bool(true)),
                    "false" => Ok(Value::Bool(false)),
                    other => Err(format!("{other} is no value")),
                },
            }
        }

        fn object(&mut self) -> Result<Value, String> {
            self.expect('{')?;
            let mut fields = BTreeMap::new();
            while !self.ends('}')? {
                let name = self.text()?;
                self.expect(':')?;
                fields.insert(name, self.value()?);
            }
            Ok(Value::Object(fields))
        }

        fn list(&mut self) -> Result<Value, String> {
            self.expect('[')?;
            let mut items = Vec::new();
            while !self.ends(']')? {
                items.push(self.value()?);
            }
            Ok(Value::List(items))
        }

        /// Whether the object or list is at its end; else what separates its items has been passed over.
        fn ends(&mut self, close: char) -> Result<bool, String> {
            self.blanks();
            let next = *self.rest.peek().ok_or("it ends too early")?;
            if next == close || next == ',' {
                self.rest.next();
            }
            self.blanks();
            Ok(next == close)
        }

        fn text(&mut self) -> Result<String, String> {
            self.expect('"')?;
            let mut text = String::new();
            loop {
                match self.next()? {
                    '"' => return Ok(text),
                    '\\' => text.push(self.escaped()?),
                    other => text.push(other),
                }
            }
        }

        fn escaped(&mut self) -> Result<char, String> {
            Ok(match self.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'u' => self.character()?,
                other => other,
            })
        }

        /// What follows \u: a character, or the first half of one, whose second half comes in the same way.
        fn character(&mut self) -> Result<char, String> {
            let mut code = self.code()?;
            let mut rest = self.rest.clone();
            let low = Parser { rest: rest.by_ref().skip(2).take(4).collect::<String>().chars().peekable(), whole: true }.code();
            let escaped = self.rest.clone().take(2).eq("\\u".chars());
            if let (0xd800..=0xdbff, true, Ok(low @ 0xdc00..=0xdfff)) = (code, escaped, low) {
                code = 0x10000 + ((code - 0xd800) << 10) + (low & 0x3ff);
                self.rest = rest;
            }
            self.whole = self.whole && char::from_u32(code).is_some();
            Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
        }

        fn code(&mut self) -> Result<u32, String> {
            let digits: String = (0..4).map(|_| self.next()).collect::<Result<_, _>>()?;
            u32::from_str_radix(&digits, 16).map_err(|_| format!("\\u{digits} is no character"))
        }

        fn word(&mut self) -> String {
            let mut word = String::new();
            while let Some(next) = self.rest.next_if(|next| next.is_ascii_alphanumeric() || "+-.".contains(*next)) {
                word.push(next);
            }
            word
        }

        fn blanks(&mut self) {
            while self.rest.next_if(|next| next.is_ascii_whitespace()).is_some() {}
        }

        fn expect(&mut self, wanted: char) -> Result<(), String> {
            self.blanks();
            let next = self.next()?;
            if next == wanted {
                Ok(())
            } else {
                Err(format!("{next} stands where {wanted} should"))
            }
        }

        fn next(&mut self) -> Result<char, String> {
            self.rest.next().ok_or_else(|| "it ends too early".to_string())
        }
    }
}
