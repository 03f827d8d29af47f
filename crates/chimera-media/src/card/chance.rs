//! Choices that look random and are always the same for one seed.

use sha2::{Digest, Sha256};

pub struct Chance {
    state: [u8; 32],
    used: usize,
}

impl Chance {
    pub fn new(seed: &str) -> Self {
        Self { state: Sha256::digest(seed.as_bytes()).into(), used: 0 }
    }

    /// 0 to `end` - 1.
    pub fn below(&mut self, end: usize) -> usize {
        if self.used + 2 > self.state.len() {
            self.state = Sha256::digest(self.state).into();
            self.used = 0;
        }
        let number = u16::from_be_bytes([self.state[self.used], self.state[self.used + 1]]);
        self.used += 2;
        usize::from(number) % end.max(1)
    }
}
