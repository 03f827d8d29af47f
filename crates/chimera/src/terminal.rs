//! Secrets typed at the terminal. Nothing of them is shown.

use crate::output;
use anyhow::{Context, Result, anyhow, bail};
use nix::sys::termios::{LocalFlags, SetArg, SpecialCharacterIndices, Termios, tcgetattr, tcsetattr};
use std::io::{self, IsTerminal, Read, Stdin};
use zeroize::{Zeroize, Zeroizing};

/// Nobody types more than this.
const TYPED_BYTES_MAX: usize = 4096;
const TRIES_MAX: usize = 3;
const CTRL_C: u8 = 3;
const CTRL_D: u8 = 4;
const CTRL_H: u8 = 8;
const CTRL_U: u8 = 21;
const ESCAPE: u8 = 27;
const DELETE: u8 = 127;

/// Whether a person sits there: both what they would read and what they would type is a terminal.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && output::can_ask()
}

/// What opens something that is sealed.
pub fn ask_secret(what: &str) -> Result<Zeroizing<String>> {
    let typed = typed_after(what)?;
    if typed.is_empty() {
        bail!("nothing was typed for {what}");
    }
    Ok(typed)
}

/// What something gets sealed with: asked for twice, because nobody sees a slip of the hand.
pub fn ask_new_secret(what: &str) -> Result<Zeroizing<String>> {
    for _ in 0..TRIES_MAX {
        let first = ask_secret(what)?;
        if *first == *typed_after("the same again")? {
            return Ok(first);
        }
        output::ask("the two are not the same; once more\n")?;
    }
    bail!("{what} was typed in two ways {TRIES_MAX} times");
}

fn typed_after(what: &str) -> Result<Zeroizing<String>> {
    // Quiet before anybody is asked: whoever types at once must not be seen either.
    let quiet = Quiet::begin().with_context(|| format!("the terminal cannot be asked for {what}"))?;
    output::ask(&format!("{what}: "))?;
    let typed = read_typed(quiet.terminal.lock());
    drop(quiet);
    output::ask("\n")?;
    typed
}

/// The terminal shows nothing and makes no signals, so that Ctrl-C cannot leave it like that. As it was again when this is dropped.
struct Quiet {
    terminal: Stdin,
    before: Termios,
}

impl Quiet {
    fn begin() -> nix::Result<Self> {
        let terminal = io::stdin();
        let before = tcgetattr(&terminal)?;
        let mut quiet = before.clone();
        quiet.local_flags.remove(LocalFlags::ECHO | LocalFlags::ICANON | LocalFlags::ISIG);
        quiet.control_chars[SpecialCharacterIndices::VMIN as usize] = 1;
        quiet.control_chars[SpecialCharacterIndices::VTIME as usize] = 0;
        tcsetattr(&terminal, SetArg::TCSAFLUSH, &quiet)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // The terminal may be gone.
        let _ = tcsetattr(&self.terminal, SetArg::TCSAFLUSH, &self.before);
    }
}

fn read_typed(mut terminal: impl Read) -> Result<Zeroizing<String>> {
    // Large enough at once: a buffer that grows leaves unwiped copies behind.
    let mut typed = Zeroizing::new(Vec::with_capacity(TYPED_BYTES_MAX));
    let mut byte = [0];
    loop {
        let read = terminal.read(&mut byte)?;
        match byte[0] {
            _ if read == 0 => break,
            b'\r' | b'\n' => break,
            CTRL_D if typed.is_empty() => break,
            CTRL_C => bail!("interrupted"),
            CTRL_U => typed.clear(),
            // A character, which may have several bytes.
            CTRL_H | DELETE => while typed.pop().is_some_and(|byte| (byte & 0xc0) == 0x80) {},
            // An arrow key is no part of a passphrase, and its rest would be.
            ESCAPE | 0..=31 => bail!("a control character cannot be part of a passphrase; type it without arrow keys and the like"),
            _ if typed.len() == TYPED_BYTES_MAX => bail!("more than {TYPED_BYTES_MAX} bytes were typed"),
            other => typed.push(other),
        }
    }
    byte.zeroize();
    let text = std::str::from_utf8(&typed).map_err(|_| anyhow!("what was typed is not text"))?;
    Ok(Zeroizing::new(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_can_be_mended_and_ends_with_the_line() {
        for (typed, read) in [
            (&b"open sesame\nrest"[..], "open sesame"),
            (b"open\x15sesame\r", "sesame"),
            (b"sesamo\x7fe\n", "sesame"),
            ("caf\u{e9}\x7fe\n".as_bytes(), "cafe"),
            (b"\x7f\x7fa\n", "a"),
            (b"\x04", ""),
            (b"the end", "the end"),
        ] {
            assert_eq!(*read_typed(typed).unwrap(), read);
        }
        for refused in [&b"half\x03"[..], b"up\x1b[A\n", b"\xff\n", &[b'x'; TYPED_BYTES_MAX + 1]] {
            assert!(read_typed(refused).is_err());
        }
    }
}
