//! An old copy of the data folder, or a second one: neither knows what was paid since.

use super::*;
use crate::crash::lane::copy;
use std::{fs, path::Path};

/// The program ends, and `copy_of` takes the place of its data folder.
fn put_back(folder: &Folder, copy_of: &Path) {
    fs::remove_dir_all(folder.data()).unwrap();
    fs::create_dir(folder.data()).unwrap();
    copy(copy_of, &folder.data());
}

fn copied(folder: &Folder) -> Folder {
    let old = Folder::new();
    fs::create_dir(old.data()).unwrap();
    copy(&folder.data(), &old.data());
    old
}

/// Pays, with blocks.
async fn paid(lane: &Lane, program: &Program, task: &Value) -> Value {
    let before = lane.given();
    let mut call = program.ask(task);
    timeout(SETTLED_WITHIN, lane.given_more_than(&before)).await.expect("the bytes are sent");
    lane.anvil.pending().await;
    lane.make_final().await;
    let answer = call.answer().await.unwrap();
    assert_eq!(answer["success"], true, "{answer}");
    answer
}

#[tokio::test]
async fn an_old_folder_put_back_pays_nothing_until_a_person_has_reconciled_it() {
    let Some(mut lane) = lane(2).await else { return };
    let folder = lane.begin().await;
    let program = Program::start(&folder).await;
    let (earlier, task) = (pays(1, ETHER / 8), pays(2, ETHER / 4));
    paid(&lane, &program, &earlier).await;
    program.kill().await;
    let old = copied(&folder);
    let program = Program::start(&folder).await;
    paid(&lane, &program, &task).await;
    program.kill().await;

    put_back(&folder, &old.data());
    let program = Program::start(&folder).await;

    for held in [&task, &pays(3, 1)] {
        is_held(&lane, &program, held).await;
    }
    assert_eq!(program.call(&earlier).await.unwrap()["success"], true, "what the old folder knows, it still tells");
    reconcile(&folder, &lane.agents[0]).await;
    let over = program.call(&pays(4, ETHER * 3 / 4)).await.unwrap();
    assert_eq!(over["error_code"], "budget_exceeded", "what was found counts in the day's budget: {over}");
    paid(&lane, &program, &pays(5, ETHER / 8)).await;
    ends_within_the_limit(&lane, &folder).await;
    let again = program.call(&task).await.unwrap();
    ends_within_the_limit(&lane, &folder).await;
    assert_eq!(wei_of(&lane, 2).await, ETHER / 4, "paid once, also after somebody has reconciled: {again}");
}

#[tokio::test]
async fn an_old_folder_put_back_while_its_payment_waits_in_the_pool_pays_nothing() {
    let Some(mut lane) = lane(2).await else { return };
    let folder = lane.begin().await;
    let old = copied(&folder);
    let program = Program::start(&folder).await;
    let task = pays(1, ETHER);
    let before = lane.given();
    let call = program.ask(&task);
    timeout(SETTLED_WITHIN, lane.given_more_than(&before)).await.expect("the bytes are sent");
    lane.anvil.pending().await;
    program.kill().await;
    drop(call);

    put_back(&folder, &old.data());
    let program = Program::start(&folder).await;

    is_held(&lane, &program, &task).await;
    lane.make_final().await;
    is_held(&lane, &program, &task).await;
    assert_eq!(wei_of(&lane, 1).await, ETHER, "paid once");
}

/// How far the ledger goes, by the signed head; nothing yet is none.
fn head_number(folder: &Folder) -> u64 {
    let text = fs::read_to_string(folder.data().join("ledger.head")).unwrap_or_default();
    serde_json::from_str::<serde_json::Value>(&text).ok().and_then(|head| head["number"].as_u64()).unwrap_or_default()
}

#[tokio::test]
async fn an_old_database_beside_a_newer_head_pays_nothing() {
    let Some(mut lane) = lane(1).await else { return };
    let folder = lane.begin().await;
    let old = copied(&folder);
    let program = Program::start(&folder).await;
    let task = pays(1, ETHER / 2);
    let before = head_number(&folder);
    paid(&lane, &program, &task).await;
    // The head follows a moment after the payment; one that a kill kept from following knows of nothing.
    timeout(SETTLED_WITHIN, async {
        while head_number(&folder) <= before {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await
    .expect("the head follows");
    program.kill().await;

    for name in ["chimera.db", "chimera.db-wal", "chimera.db-shm"] {
        let _ = fs::remove_file(folder.data().join(name));
        let _ = fs::copy(old.data().join(name), folder.data().join(name));
    }
    // The chain forgets it too: only the head still knows.
    lane.anvil.rpc("anvil_rollback", serde_json::json!([8])).await;
    lane.anvil.rpc("anvil_dropAllTransactions", serde_json::json!([])).await;
    let answer = folder.call(crate::wallet_stage::WALLET, &pays(2, ETHER)).await;

    assert_eq!(answer["success"], false, "{answer}");
    assert_eq!(lane.given().iter().sum::<usize>(), 1, "nothing was signed and sent since: {answer}");
}

#[tokio::test]
async fn two_folders_with_one_key_pay_a_task_once() {
    let Some(mut lane) = lane(2).await else { return };
    let one = lane.begin().await;
    let other = lane.folder();
    let (first, second) = (Program::start(&one).await, Program::start(&other).await);
    let task = pays(1, ETHER);

    paid(&lane, &first, &task).await;
    is_held(&lane, &second, &task).await;

    assert_eq!(wei_of(&lane, 1).await, ETHER, "paid once");
    reconcile(&other, &lane.agents[0]).await;
    let over = second.call(&pays(2, ETHER)).await.unwrap();
    assert_eq!(over["error_code"], "budget_exceeded", "{over}");
    ends_within_the_limit(&lane, &one).await;
    ends_within_the_limit(&lane, &other).await;
}

#[tokio::test]
async fn two_folders_with_one_key_pay_a_task_once_also_while_its_first_payment_waits_in_the_pool() {
    let Some(mut lane) = lane(2).await else { return };
    let one = lane.begin().await;
    let other = lane.folder();
    let (first, second) = (Program::start(&one).await, Program::start(&other).await);
    let task = pays(1, ETHER);
    let before = lane.given();
    let mut paying = first.ask(&task);
    timeout(SETTLED_WITHIN, lane.given_more_than(&before)).await.expect("the bytes are sent");
    lane.anvil.pending().await;

    is_held(&lane, &second, &task).await;

    lane.make_final().await;
    assert_eq!(paying.answer().await.unwrap()["success"], true);
    assert_eq!(wei_of(&lane, 1).await, ETHER, "paid once");
}
