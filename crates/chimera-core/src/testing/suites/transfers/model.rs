//! Random batches of concurrent callers against a store, and beside it the simplest model of what must come out.

use super::{at, mined, new_transfer, nonce_of, own_day, signature, terms, why, within};
use crate::{
    domain::{
        money::{Address, U256},
        transfer::{NewTransfer, Settlement, Spend},
    },
    ports::transfers::{Recorded, Reservation, Transfers},
};
use chrono::TimeDelta;
use futures::future::join_all;
use std::collections::BTreeMap;

/// The limit of each wallet's day in the model.
const LIMIT: u64 = 100;

/// What happens at once, and then how the oldest open transfers end.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Wallet and amount of every concurrent caller.
    pub callers: Vec<(u8, u64)>,
    /// How many hours pass before the batch: days change in between.
    pub hours: i64,
    /// Of the open transfers, oldest first: `Some(true)` is confirmed, `Some(false)` reverted, `None` released unsigned.
    pub endings: Vec<Option<bool>>,
}

#[derive(Default, Clone, Copy, PartialEq, Eq, Debug)]
struct Day {
    spent: u64,
    reserved: u64,
}

/// Every counter is what the model says after every batch, no limit is passed, and nobody is refused who would have fitted.
pub async fn follows_the_model(store: &dyn Transfers, batches: &[Batch]) {
    let mut days: BTreeMap<(u8, String), Day> = BTreeMap::new();
    let mut open: Vec<(u8, u64, NewTransfer)> = Vec::new();
    let mut now = at(0);
    for batch in batches {
        now += TimeDelta::hours(batch.hours);
        let asked: Vec<(u8, u64, NewTransfer)> = batch
            .callers
            .iter()
            .map(|&(wallet, amount)| {
                let mut transfer = NewTransfer { reserved_at: now, lease_until: now, ..new_transfer(amount) };
                transfer.request.wallet = Address::repeat_byte(wallet);
                (wallet, amount, transfer)
            })
            .collect();

        let outcomes = join_all(asked.iter().map(|(_, amount, transfer)| store.reserve(transfer, within(LIMIT, *amount)))).await;

        let mut refused = Vec::new();
        for ((wallet, amount, transfer), outcome) in asked.into_iter().zip(outcomes) {
            let day = days.entry((wallet, transfer.day().to_string())).or_default();
            match outcome.unwrap() {
                Reservation::Reserved(_) => {
                    day.reserved += amount;
                    open.push((wallet, amount, transfer));
                }
                Reservation::Refused(_) => refused.push((wallet, amount, transfer)),
                other => panic!("{other:?}"),
            }
        }
        for (wallet, amount, transfer) in &refused {
            let day = days[&(*wallet, transfer.day().to_string())];
            assert!(day.spent + day.reserved + amount > LIMIT, "{amount} would have fitted beside {day:?}");
        }
        for (ending, (wallet, amount, transfer)) in
            batch.endings.iter().zip(open.drain(..batch.endings.len().min(open.len())).collect::<Vec<_>>())
        {
            end(store, &transfer, *ending).await;
            let day = days.get_mut(&(wallet, transfer.day().to_string())).unwrap();
            day.reserved -= amount;
            day.spent += if *ending == Some(true) { amount } else { 0 };
        }
        check(store, &days).await;
    }
    assert_eq!(store.open().await.unwrap().len(), open.len());
}

async fn end(store: &dyn Transfers, transfer: &NewTransfer, ending: Option<bool>) {
    let id = transfer.transaction_id;
    let Some(succeeded) = ending else {
        assert!(store.release(id, &why(), at(0)).await.unwrap());
        return;
    };
    nonce_of(&store.assign(id, &terms()).await.unwrap());
    assert_eq!(store.record_signed(id, &signature(transfer)).await.unwrap(), Recorded::Recorded);
    let settlement =
        if succeeded { Settlement::Confirmed(mined(0)) } else { Settlement::Reverted { mined: mined(0), reason: "no".to_owned() } };
    store.settle(id, &settlement, at(0)).await.unwrap();
    store.finalize(&[id]).await.unwrap();
}

async fn check(store: &dyn Transfers, days: &BTreeMap<(u8, String), Day>) {
    for ((wallet, date), day) in days {
        assert!(day.spent + day.reserved <= LIMIT, "{wallet} on {date}: {day:?}");
        let mut probe = new_transfer(1);
        probe.request.wallet = Address::repeat_byte(*wallet);
        probe.reserved_at = format!("{date}T12:00:00Z").parse().unwrap();
        let expected = Spend { spent_units: U256::from(day.spent), reserved_units: U256::from(day.reserved) };
        assert_eq!(own_day(store, &probe).await, expected, "{wallet} on {date}");
    }
}
