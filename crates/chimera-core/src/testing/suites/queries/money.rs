//! What the books come to, and what was said to each payment.

use super::Everything;
use crate::{
    contracts::{decision::Verdict, views::money::DayResult},
    domain::transfer::Settlement,
    ports::{queries::PageOf, transfers::Transfers},
    testing::suites::{
        samples::at,
        transfers::{mined, new_transfer, sign},
    },
};

pub(super) async fn what_is_paid_is_its_days_result_and_comes_back_with_its_block(store: &impl Everything) {
    let paid = new_transfer(5);
    sign(store, &paid).await;
    Transfers::settle(store, paid.transaction_id, &Settlement::Confirmed(mined(2)), at(9)).await.unwrap();
    let agent = paid.request.agent.clone();
    let (day, nobody) = (at(9).date_naive(), "nobody".parse().unwrap());
    let of_asset = async |agent, since| -> Vec<[String; 3]> {
        let days: Vec<DayResult> = store.results(agent, since).await.unwrap();
        let asset = days.into_iter().filter(|day| day.asset == paid.request.asset.symbol);
        asset.map(|day| [day.in_units, day.paid_units, day.result_units]).collect()
    };

    assert_eq!(of_asset(None, day).await, [["0", "5", "-5"].map(str::to_owned)]);
    assert_eq!(of_asset(Some(&agent), day).await.len(), 1);
    assert!(of_asset(Some(&nobody), day).await.is_empty());
    assert!(of_asset(None, day.succ_opt().unwrap()).await.is_empty());
    let row = store.transfers(None, &PageOf::first(1)).await.unwrap().items.remove(0);
    assert_eq!(row.decisions.iter().map(|one| one.decision).collect::<Vec<_>>(), [Verdict::Approve]);
    assert_eq!((row.rule, row.review_id, row.approved_until), (None, None, None));

    store.unsettle(paid.transaction_id, at(20)).await.unwrap();
    assert_eq!(of_asset(None, day).await, [["5", "5", "0"].map(str::to_owned)]);
}
