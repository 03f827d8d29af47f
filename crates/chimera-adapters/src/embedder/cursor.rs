//! Reads shipped weights from front to back.

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the weights are damaged: {0}")]
pub(super) struct DamagedWeights(pub(super) &'static str);

pub(super) const TOO_SHORT: DamagedWeights = DamagedWeights("they end too early");

pub(super) struct Cursor(pub(super) &'static [u8]);

impl Cursor {
    pub(super) fn take(&mut self, count: usize) -> Result<&'static [u8], DamagedWeights> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(TOO_SHORT)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn number(&mut self) -> Result<u32, DamagedWeights> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into().map_err(|_| TOO_SHORT)?))
    }
}
