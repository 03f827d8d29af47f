//! Money on SQLite: against the model, from two processes' worth of stores, after a reopening, and at what cost.

use super::{super::transfers, SqliteStore, fresh, suites::transfers::Batch, suites::transfers::follows_the_model};
use proptest::prelude::*;

fn batch() -> impl Strategy<Value = Batch> {
    let callers = proptest::collection::vec((1u8..4, 1u64..60), 0..12);
    let endings = proptest::collection::vec(proptest::option::of(any::<bool>()), 0..6);
    (callers, 0i64..9, endings).prop_map(|(callers, hours, endings)| Batch { callers, hours, endings })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]
    #[test]
    fn counters_follow_the_model_under_concurrent_callers(batches in proptest::collection::vec(batch(), 1..8)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let (_folder, store) = fresh();
        runtime.block_on(follows_the_model(&store, &batches));
    }
}

#[tokio::test]
async fn every_query_of_a_transfer_uses_an_index() {
    let (_folder, store) = fresh();
    let by = |condition: &str| format!("SELECT 1 FROM transfers WHERE {condition}");
    let queries = [
        by(transfers::OPEN),
        by(transfers::GRANTED),
        by(transfers::NOT_FINAL),
        by(transfers::OF_TASK),
        by(transfers::IN_FLIGHT),
        transfers::IN_MINUTE.to_owned(),
        transfers::KNOWN.to_owned(),
        transfers::ALIKE.to_owned(),
    ];
    for query in queries {
        let plan = plan(&store, query.clone()).await;
        let is_indexed = ["INDEX transfers_", "INDEX payees_alike", "PRIMARY KEY"].iter().any(|index| plan.contains(index));
        assert!(is_indexed && !plan.contains("TEMP B-TREE"), "{query}: {plan}");
    }
}

async fn plan(store: &SqliteStore, query: String) -> String {
    store
        .read::<_, chimera_core::ports::StoreError>(move |db| {
            let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {query}")).unwrap();
            let parameters = vec![""; statement.parameter_count()];
            let rows = statement.query_map(rusqlite::params_from_iter(parameters), |row| row.get::<_, String>(3)).unwrap();
            Ok(rows.map(Result::unwrap).collect::<Vec<_>>().join("; "))
        })
        .await
        .unwrap()
}
