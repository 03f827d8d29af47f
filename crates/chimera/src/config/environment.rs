//! The environment as it was when the program started, its secrets apart: they are wiped once nobody needs them.

use super::{secrecy, secrets::SECRETS};
use anyhow::Result;
use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};
use zeroize::Zeroizing;

type Values = BTreeMap<String, Zeroizing<String>>;

/// Everything in it is wiped, and nothing is ever shown.
#[derive(Clone, Default)]
pub struct Environment {
    values: Values,
    /// One for all copies: what is dropped is gone everywhere.
    secrets: Arc<Mutex<Values>>,
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values.keys().chain(self.secrets().keys())).finish()
    }
}

impl Environment {
    /// Takes the secrets out of the process's own environment; see [`secrecy::take_environment`]. Once, before anything else is open.
    pub fn of_process() -> Result<Self> {
        let (values, secrets) = secrecy::take_environment(is_secret)?;
        Ok(Self { values: values.into_iter().collect(), secrets: Arc::new(Mutex::new(secrets.into_iter().collect())) })
    }

    #[cfg(test)]
    pub fn of(pairs: &[(&str, &str)]) -> Self {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), Zeroizing::new((*value).to_owned())));
        let (secrets, values): (Values, Values) = pairs.partition(|(name, _)| is_secret(name));
        Self { values, secrets: Arc::new(Mutex::new(secrets)) }
    }

    /// What is no secret.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(|value| value.as_str()).filter(|value| !value.is_empty())
    }

    pub(super) fn secret(&self, name: &str) -> Option<Zeroizing<String>> {
        self.secrets().get(name).filter(|value| !value.is_empty()).cloned()
    }

    /// As if the variable had been set.
    pub(super) fn keep_secret(&self, name: &str, value: Zeroizing<String>) {
        self.secrets().insert(name.to_owned(), value);
    }

    pub(super) fn drop_secret(&self, name: &str) {
        self.secrets().remove(name);
    }

    /// `CHIMERA_STORE__URL` as `["store", "url"]`.
    pub(super) fn overrides(&self) -> impl Iterator<Item = (&str, Vec<String>, &str)> {
        self.values.iter().filter_map(|(name, value)| {
            let rest = name.strip_prefix("CHIMERA_").filter(|rest| rest.contains("__"))?;
            Some((name.as_str(), rest.split("__").map(str::to_lowercase).collect(), value.as_str()))
        })
    }

    fn secrets(&self) -> std::sync::MutexGuard<'_, Values> {
        // A map is whole at any moment.
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_secret(name: &str) -> bool {
    SECRETS.contains(&name)
}
