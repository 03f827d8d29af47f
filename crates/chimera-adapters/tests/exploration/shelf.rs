//! Where the books are kept between two moves: on SQLite as the program has them, or in memory, which holds to the same suites and lets
//! many more states be reached.

use super::world::selam;
use chimera_adapters::store::sqlite::SqliteStore;
use chimera_core::{
    domain::money::Address,
    ports::{
        StoreError,
        agents::{AgentRecord, Agents},
        kill_switch::KillSwitch,
        ledger::{Ledger, NewLedgerEntry},
        transfers::Transfers,
        wallet_book::WalletBook,
    },
    testing::{fake_agents::FakeAgents, fake_transfers::FakeTransfers},
};
use std::{
    collections::hash_map::DefaultHasher,
    fs,
    hash::{Hash, Hasher},
    path::{Path, PathBuf},
    sync::Arc,
};

/// A closed store.
#[derive(Clone)]
pub enum Kept {
    /// The files of a data folder, and where folders are made.
    Sqlite {
        files: Arc<Vec<(String, Vec<u8>)>>,
        room: PathBuf,
    },
    Memory(Arc<FakeTransfers>),
}

/// An open one.
pub struct Shelf {
    pub agents: Arc<dyn Agents>,
    pub transfers: Arc<dyn Transfers>,
    pub kill_switch: Arc<dyn KillSwitch>,
    pub book: Arc<dyn WalletBook>,
    backend: Backend,
}

enum Backend {
    Sqlite { store: SqliteStore, folder: tempfile::TempDir, room: PathBuf },
    Memory(Arc<FakeTransfers>),
}

fn agent(address: Address) -> AgentRecord {
    let created_at = "2026-11-15T00:00:00Z".parse().unwrap();
    AgentRecord { id: selam(), soul_source: String::new(), soul_version: String::new(), address, created_at }
}

impl Kept {
    /// In memory where the machine has such a place: nothing here is about disks.
    pub async fn first_sqlite(address: Address) -> Self {
        let shared_memory = PathBuf::from("/dev/shm");
        let room = if shared_memory.is_dir() { shared_memory } else { std::env::temp_dir() };
        let folder = tempfile::tempdir_in(&room).unwrap();
        let store = SqliteStore::open(&folder.path().join("chimera.db")).unwrap();
        Agents::create(&store, &agent(address)).await.unwrap();
        store.close().await;
        drop(store);
        Self::Sqlite { files: Arc::new(files_of(folder.path())), room }
    }

    pub fn first_in_memory() -> Self {
        Self::Memory(Arc::default())
    }

    pub async fn open(&self, address: Address) -> Shelf {
        match self {
            Self::Sqlite { files, room } => {
                let folder = tempfile::tempdir_in(room).unwrap();
                for (name, bytes) in files.iter() {
                    fs::write(folder.path().join(name), bytes).unwrap();
                }
                let store = SqliteStore::open(&folder.path().join("chimera.db")).unwrap();
                let shared = Arc::new(store.clone());
                let backend = Backend::Sqlite { store, folder, room: room.clone() };
                Shelf { agents: shared.clone(), transfers: shared.clone(), kill_switch: shared.clone(), book: shared, backend }
            }
            Self::Memory(kept) => {
                let agents = FakeAgents::default();
                agents.create(&agent(address)).await.unwrap();
                let shared = Arc::new(kept.copy());
                let backend = Backend::Memory(shared.clone());
                Shelf { agents: Arc::new(agents), transfers: shared.clone(), kill_switch: shared.clone(), book: shared, backend }
            }
        }
    }
}

fn files_of(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

impl Shelf {
    /// What the store knows, but for ids that are drawn at random and what only grows.
    pub async fn identity(&self) -> u64 {
        const TABLES: [&str; 6] = [
            "SELECT task_id, state, nonce, bumps, replaced_by, amount_held, final, mined_hash, block_number, reserved_at FROM transfers \
             WHERE state <> 'released' ORDER BY number",
            "SELECT kind, name, asset, day, spent_units, reserved_units FROM budget_days ORDER BY 1, 2, 3, 4",
            "SELECT consumed_next FROM wallet_nonces",
            "SELECT agent_id FROM wallet_holds",
            "SELECT scope FROM freezes",
            "SELECT nonce, tx_hash, asked_for FROM foreign_payments ORDER BY nonce",
        ];
        let mut hasher = DefaultHasher::new();
        match &self.backend {
            Backend::Memory(store) => store.outline().hash(&mut hasher),
            Backend::Sqlite { store, .. } => {
                let text = store
                    .read(|db| {
                        let mut text = String::new();
                        for table in TABLES {
                            let mut select = db.prepare(table).unwrap();
                            let columns = select.column_count();
                            let mut rows = select.query([]).unwrap();
                            while let Some(row) = rows.next().unwrap() {
                                text.extend((0..columns).map(|column| format!("{:?} ", row.get_ref(column).unwrap())));
                                text.push('\n');
                            }
                        }
                        Ok::<_, StoreError>(text)
                    })
                    .await
                    .unwrap();
                text.hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    /// What is spent and reserved on the wallet's own counter, on all days together.
    pub async fn committed(&self) -> u64 {
        let store = match &self.backend {
            Backend::Memory(store) => return store.committed_units().to(),
            Backend::Sqlite { store, .. } => store,
        };
        store
            .read(|db| {
                let mut find = db.prepare("SELECT spent_units, reserved_units FROM budget_days WHERE kind = 'own'").unwrap();
                let units = |row: &rusqlite::Row<'_>, column| row.get::<_, String>(column).unwrap().parse::<u64>().unwrap();
                let days = find.query_map([], |row| Ok(units(row, 0) + units(row, 1))).unwrap();
                Ok::<_, StoreError>(days.map(Result::unwrap).sum())
            })
            .await
            .unwrap()
    }

    /// Everything on the ledger, which must be sound.
    pub async fn ledger(&self) -> Vec<NewLedgerEntry> {
        match &self.backend {
            Backend::Memory(store) => store.ledger(),
            Backend::Sqlite { store, .. } => {
                assert_eq!(store.verify().await.unwrap().first_bad, None);
                Ledger::list(store, None, 1_000).await.unwrap().into_iter().map(|listed| listed.entry).collect()
            }
        }
    }

    pub async fn close(self) -> Kept {
        drop((self.agents, self.transfers, self.kill_switch, self.book));
        match self.backend {
            Backend::Memory(store) => Kept::Memory(store),
            Backend::Sqlite { store, folder, room } => {
                store.close().await;
                drop(store);
                Kept::Sqlite { files: Arc::new(files_of(folder.path())), room }
            }
        }
    }
}
