//! The program dies before or after any call to the outside, at every such point in turn; another one starts on the same store and chain.

use super::*;
use crate::testing::mortal::{Death, Mortal};

/// Calls on a program that dies after `points` points; whether it died.
async fn call_until_death(world: &World, input: &Value, points: usize) -> bool {
    let death = Death::after(points);
    let program = world.program_with(
        Arc::new(Mortal::<dyn Transfers>::new(world.transfers.clone(), &death)),
        Arc::new(Mortal::<dyn Chain>::new(world.chain.clone(), &death)),
        Arc::new(Mortal::<dyn Signer>::new(world.signer.clone(), &death)),
    );
    tokio::select! {
        answer = call(&program, input) => {
            assert_eq!(answer["success"], true, "{answer:#}");
            false
        }
        () = death.has_come() => true,
    }
}

/// Points enough for a whole transfer; a run that needs more would make the tests below end too early.
const POINTS_MAX: usize = 100;

#[tokio::test]
async fn after_a_death_at_any_point_a_restart_settles_or_releases_and_the_task_pays_once() {
    let mut deaths = 0;
    for points in 0..POINTS_MAX {
        let world = world();
        if !call_until_death(&world, &usdc_transfer(1, 1_000), points).await {
            break;
        }
        deaths += 1;

        let restarted = world.program();
        restarted.settle_open(Unsigned::ReleaseAll).await.unwrap();

        assert_eq!(world.transfers.open().await.unwrap(), [], "death at point {points} leaves nothing open");
        let paid_before = world.paid().len();
        let answer = call(&restarted, &usdc_transfer(1, 1_000)).await;
        assert_eq!(answer["success"], true, "death at point {points}: {answer:#}");
        assert_eq!(world.paid(), [1_000], "death at point {points}, {paid_before} paid before the repeat");
        assert_eq!(call(&restarted, &usdc_transfer(2, 1_000)).await["success"], true, "nothing is reserved for the dead");
        assert_error(&call(&restarted, &usdc_transfer(3, 1)).await, "budget_exceeded");
    }
    assert!((20..POINTS_MAX).contains(&deaths), "{deaths} deaths");
}

#[tokio::test]
async fn a_repeat_after_a_death_needs_no_recovery_before_it() {
    for points in 0..POINTS_MAX {
        let world = world();
        if !call_until_death(&world, &eth_transfer(1, 700), points).await {
            break;
        }
        world.clock.advance(chrono::TimeDelta::minutes(2));

        let answer = call(&world.program(), &eth_transfer(1, 700)).await;

        assert_eq!(answer["success"], true, "death at point {points}: {answer:#}");
        assert_eq!(world.paid(), [700]);
    }
}

#[tokio::test]
async fn a_second_death_during_the_repeat_changes_nothing() {
    for first in 0..POINTS_MAX {
        for second in (0..POINTS_MAX).step_by(3) {
            let world = world();
            let input = usdc_transfer(1, 1_000);
            call_until_death(&world, &input, first).await;
            world.clock.advance(chrono::TimeDelta::minutes(2));
            let died_again = call_until_death(&world, &input, second).await;

            let last = world.program();
            last.settle_open(Unsigned::ReleaseAll).await.unwrap();

            assert_eq!(call(&last, &input).await["success"], true, "deaths at {first} and {second}");
            assert_eq!(world.paid(), [1_000]);
            if !died_again {
                break;
            }
        }
    }
}
