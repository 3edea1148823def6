//! Money: accounts, charges, payments, waivers and receipts (R-MONEY-1 to R-MONEY-3).

use axum::{extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Shared,
    error::{Error, Result},
    extract::{Id, JsonBody, OptionalJsonBody, PathText, Query},
    idempotency::{Answer, Once},
    page,
    session::SignedIn,
};
use crate::{
    circulation::{
        Actor,
        lost::{self, DeclareLost, FoundPrice},
        money::{self, ChargeReversed, NewCharge, Payment, PaymentReversed, Refund},
    },
    domain::{
        fine::{self, Fine},
        id::{ChangeId, LineId, LoanId, UserId},
        ledger::{Charge, ChargeKind, LARGEST, Line, Method, REASON, REFERENCE, Receipt, SMALLEST},
        rule::Invalid,
    },
    message::{self, Message},
    money::Money,
    policies::Policies,
    storage::{Tx, ledger, loans, people},
};

/// A person's account.
#[derive(Serialize, ToSchema)]
pub struct Account {
    /// Sum of all lines, without running fines. Negative: the library owes the person.
    balance: Money,
    /// Payments for charges that were reversed later, less refunds; included in the balance.
    credit: Money,
    /// Fines of the open loans as of today; charged when the books are returned.
    running: Money,
    /// Running fines by loan.
    fines: Vec<RunningFine>,
    /// Unsettled charges, oldest first.
    charges: Vec<Charge>,
    /// Prices still charged for lost copies that were found since.
    found: Vec<FoundPrice>,
    /// Lines, newest first.
    lines: Vec<Line>,
    /// Cursor of the next page.
    #[schema(required)]
    next: Option<String>,
}

/// Fine of an open loan as of today.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunningFine {
    loan_id: LoanId,
    title: String,
    amount: Money,
    /// Steps of the calculation.
    explain: Vec<Message>,
}

/// Position and length of a page of account lines.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AccountQuery {
    /// Page length in lines, 1 to 100; 50 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// Value of `next` from the previous page.
    cursor: Option<String>,
}

fn account(
    tx: &mut Tx<'_>,
    policies: &Policies,
    today: jiff::civil::Date,
    person: UserId,
    before: LineId,
    limit: i64,
) -> Result<Account> {
    let rulebook = policies.current(tx)?;
    let open = loans::open_of_user(tx, person)?;
    let fines: Vec<RunningFine> = open
        .into_iter()
        .filter_map(|loan| {
            let Fine { amount, explain, .. } =
                fine::of(loan.return_date, today, &rulebook.history, &loan, &rulebook.calendar);
            (amount > Money::ZERO).then_some(RunningFine {
                loan_id: loan.id,
                title: loan.title,
                amount,
                explain,
            })
        })
        .collect();
    let running = fines.iter().map(|fine| fine.amount).sum();
    let mut lines = ledger::lines_of(tx, person, before, limit + 1)?;
    let length = usize::try_from(limit).unwrap_or_default();
    let goes_on = lines.len() > length;
    lines.truncate(length);
    let next = lines.last().filter(|_| goes_on).map(|last| page::cursor(&last.id));
    let (balance, mut charges) = (ledger::balance(tx, person)?, ledger::open_charges(tx, person)?);
    let credit = money::credit(tx, person)?;
    ledger::explain_charges(tx, &mut charges)?;
    let found = lost::found_prices(tx, person)?;
    Ok(Account { balance, credit, running, fines, charges, found, lines, next })
}

async fn read(app: &Shared, person: UserId, query: AccountQuery) -> Result<axum::Json<Account>> {
    let limit = page::length(query.limit, 50)?;
    let before = page::place(query.cursor.as_deref())?.unwrap_or(LineId(i64::MAX));
    let (today, policies) = (app.library.clock.today(), app.library.policies.clone());
    let account = app
        .library
        .db
        .snapshot(move |tx| -> Result<Account> {
            people::by_id(tx, person)?.ok_or(Error::NotFound)?;
            account(tx, &policies, today, person, before, limit)
        })
        .await?;
    Ok(axum::Json(account))
}

/// Read a person's account.
#[utoipa::path(get, path = "/people/{id}/account", params(("id" = i64, Path), AccountQuery),
    responses((status = 200, body = Account)))]
pub async fn read_account(
    State(app): State<Shared>,
    Id(person): Id<UserId>,
    Query(query): Query<AccountQuery>,
) -> Result<axum::Json<Account>> {
    read(&app, person, query).await
}

/// Read the caller's own account.
#[utoipa::path(get, path = "/me/account", params(AccountQuery), responses((status = 200, body = Account)))]
pub async fn read_my_account(
    State(app): State<Shared>,
    SignedIn(student): SignedIn,
    Query(query): Query<AccountQuery>,
) -> Result<axum::Json<Account>> {
    read(&app, student.uid, query).await
}

/// Validates an amount above zero.
fn positive(amount: Option<Money>, invalid: &mut Invalid) -> Money {
    match amount {
        Some(amount) if (SMALLEST..=LARGEST).contains(&amount) => amount,
        Some(_) => {
            invalid.push("amount", message::amount_out_of_range("Amount", SMALLEST, LARGEST));
            Money::ZERO
        }
        None => {
            invalid.push("amount", message::missing());
            Money::ZERO
        }
    }
}

/// Request body of a charge.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChargeForm {
    #[schema(required, value_type = Money)]
    amount: Option<Money>,
    kind: ChargeKind,
    #[serde(default)]
    #[schema(required)]
    reason: String,
}

#[derive(Serialize, ToSchema)]
pub struct Charged {
    charge: Charge,
    /// Change id to pass to `POST /changes/{id}/undo`.
    change: ChangeId,
}

/// Charge a person, for a damaged book or anything else.
#[utoipa::path(post, path = "/people/{id}/charges", params(("id" = i64, Path)), request_body = ChargeForm,
    responses((status = 201, body = Charged)))]
pub async fn add_charge(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(person): Id<UserId>,
    once: Once,
    JsonBody(form): JsonBody<ChargeForm>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let amount = positive(form.amount, &mut invalid);
    let reason = REASON.check(&form.reason, &mut invalid);
    invalid.into_result(())?;
    let (moment, actor) = (app.library.clock.moment(), Actor::Librarian(librarian.uid));
    app.once(once, move |tx| {
        people::by_id(tx, person)?.ok_or(Error::NotFound)?;
        let new = NewCharge { person, of: form.kind, amount, reason: &reason, explain: &[], loan: None };
        let (charge, change) = money::charge(tx, actor, moment, &new)?;
        Ok(Answer::json(StatusCode::CREATED, &Charged { charge, change })?.undoable(tx, &librarian))
    })
    .await
}

/// Request body of a payment.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PaymentForm {
    #[schema(required, value_type = Money)]
    amount: Option<Money>,
    method: Method,
    /// External reference, such as the number of a transfer.
    #[serde(default)]
    reference: String,
    /// Charges to settle; if omitted, all unsettled charges, oldest first.
    #[serde(default)]
    #[schema(value_type = Vec<i64>)]
    charges: Vec<LineId>,
}

#[derive(Serialize, ToSchema)]
pub struct Paid {
    receipt: Receipt,
    /// Change id to pass to `POST /changes/{id}/undo`.
    change: ChangeId,
}

/// Take a payment, at most the amount owed, and issue a receipt (R-MONEY-3).
#[utoipa::path(post, path = "/people/{id}/payments", params(("id" = i64, Path)), request_body = PaymentForm,
    responses((status = 201, body = Paid)))]
pub async fn add_payment(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(person): Id<UserId>,
    once: Once,
    JsonBody(form): JsonBody<PaymentForm>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let amount = positive(form.amount, &mut invalid);
    let reference = REFERENCE.check(&form.reference, &mut invalid);
    invalid.refuse_repeats("charges", &form.charges);
    invalid.into_result(())?;
    let (moment, actor, policies) =
        (app.library.clock.moment(), Actor::Librarian(librarian.uid), app.library.policies.clone());
    app.once(once, move |tx| {
        people::by_id(tx, person)?.ok_or(Error::NotFound)?;
        let rulebook = policies.current(tx)?;
        let what =
            Payment { person, amount, method: form.method, reference: &reference, charges: &form.charges };
        let paid = money::pay(tx, actor, moment, &rulebook, &what)?;
        Ok(Answer::json(StatusCode::CREATED, &Paid { receipt: paid.receipt, change: paid.change })?
            .undoable(tx, &librarian))
    })
    .await
}

/// Request body of a waiver.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WaiverForm {
    /// Amount to waive; if omitted, the whole charge.
    #[schema(value_type = Option<Money>)]
    amount: Option<Money>,
    #[serde(default)]
    #[schema(required)]
    reason: String,
}

/// Waive all or part of a charge.
#[utoipa::path(post, path = "/charges/{id}/waive", params(("id" = i64, Path)), request_body = WaiverForm,
    responses((status = 200, body = Charged)))]
pub async fn waive_charge(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(charge): Id<LineId>,
    once: Once,
    JsonBody(form): JsonBody<WaiverForm>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let amount = form.amount.map(|amount| positive(Some(amount), &mut invalid));
    let reason = REASON.check(&form.reason, &mut invalid);
    invalid.into_result(())?;
    let (moment, actor) = (app.library.clock.moment(), Actor::Librarian(librarian.uid));
    app.once(once, move |tx| {
        let (charge, change) = money::waive(tx, actor, moment, charge, amount, &reason)?;
        Ok(Answer::json(StatusCode::OK, &Charged { charge, change })?.undoable(tx, &librarian))
    })
    .await
}

/// Request body of a declaration of loss.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LostForm {
    /// Price to charge; by default the copy's price. 0 charges no price.
    #[schema(value_type = Option<Money>)]
    price: Option<Money>,
}

/// A loan that ended because its copy is lost.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LostLoan {
    /// Borrower, who is charged.
    user_id: UserId,
    /// Fine until today and price; zero amounts are not charged.
    charges: Vec<Charge>,
    /// Change id to pass to `POST /changes/{id}/undo`.
    change: ChangeId,
}

/// Declare a copy on loan lost: end the loan, charge its fine and the copy's price (R-MONEY-4).
#[utoipa::path(post, path = "/loans/{id}/lost", params(("id" = i64, Path)), request_body = Option<LostForm>,
    responses((status = 200, body = LostLoan)))]
pub async fn declare_lost(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(loan): Id<LoanId>,
    once: Once,
    OptionalJsonBody(form): OptionalJsonBody<LostForm>,
) -> Result<Answer> {
    let (moment, actor, policies) =
        (app.library.clock.moment(), Actor::Librarian(librarian.uid), app.library.policies.clone());
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let what = DeclareLost { loan, price: form.price };
        let lost = lost::declare_lost(tx, actor, moment, &rulebook, what)?;
        let answer = LostLoan { user_id: lost.loan.user_id, charges: lost.charges, change: lost.change };
        Ok(Answer::json(StatusCode::OK, &answer)?.undoable(tx, &librarian))
    })
    .await
}

/// Request body of a reversal.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReversalForm {
    #[serde(default)]
    #[schema(required)]
    reason: String,
}

#[derive(Serialize, ToSchema)]
pub struct ReversedCharge {
    charge: Charge,
    /// Amount already paid for the charge, now credit.
    credit: Money,
    /// Change id to pass to `POST /changes/{id}/undo`.
    change: ChangeId,
}

/// Reverse a charge, such as the price of a copy that was found.
///
/// The amount paid for the charge becomes credit.
#[utoipa::path(post, path = "/charges/{id}/reverse", params(("id" = i64, Path)), request_body = ReversalForm,
    responses((status = 200, body = ReversedCharge)))]
pub async fn reverse_charge(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(charge): Id<LineId>,
    once: Once,
    JsonBody(form): JsonBody<ReversalForm>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let reason = REASON.check(&form.reason, &mut invalid);
    invalid.into_result(())?;
    let (moment, actor) = (app.library.clock.moment(), Actor::Librarian(librarian.uid));
    app.once(once, move |tx| {
        let ChargeReversed { charge, credit, change } =
            money::reverse_charge(tx, actor, moment, charge, &reason)?;
        Ok(Answer::json(StatusCode::OK, &ReversedCharge { charge, credit, change })?.undoable(tx, &librarian))
    })
    .await
}

#[derive(Serialize, ToSchema)]
pub struct ReversedPayment {
    receipt: Receipt,
    /// Change id to pass to `POST /changes/{id}/undo`.
    change: ChangeId,
}

/// Reverse a payment of any day, such as a transfer that bounced or a payment on the wrong account.
///
/// The receipt keeps its number and is marked as reversed; its charges are owed again.
#[utoipa::path(post, path = "/receipts/{number}/reverse", params(("number" = String, Path)), request_body = ReversalForm,
    responses((status = 200, body = ReversedPayment)))]
pub async fn reverse_payment(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    PathText(number): PathText,
    once: Once,
    JsonBody(form): JsonBody<ReversalForm>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let reason = REASON.check(&form.reason, &mut invalid);
    invalid.into_result(())?;
    let (moment, actor) = (app.library.clock.moment(), Actor::Librarian(librarian.uid));
    app.once(once, move |tx| {
        let PaymentReversed { receipt, change } =
            money::reverse_payment(tx, actor, moment, &number, &reason)?;
        Ok(Answer::json(StatusCode::OK, &ReversedPayment { receipt, change })?.undoable(tx, &librarian))
    })
    .await
}

/// Request body of a refund.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RefundForm {
    #[schema(required, value_type = Money)]
    amount: Option<Money>,
    method: Method,
    /// External reference, such as the number of a transfer.
    #[serde(default)]
    reference: String,
}

#[derive(Serialize, ToSchema)]
pub struct Refunded {
    amount: Money,
    /// Remaining credit.
    credit: Money,
    /// Change id to pass to `POST /changes/{id}/undo`.
    change: ChangeId,
}

/// Pay credit out, at most the credit that the person has.
#[utoipa::path(post, path = "/people/{id}/refunds", params(("id" = i64, Path)), request_body = RefundForm,
    responses((status = 201, body = Refunded)))]
pub async fn add_refund(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(person): Id<UserId>,
    once: Once,
    JsonBody(form): JsonBody<RefundForm>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let amount = positive(form.amount, &mut invalid);
    let reference = REFERENCE.check(&form.reference, &mut invalid);
    invalid.into_result(())?;
    let (moment, actor) = (app.library.clock.moment(), Actor::Librarian(librarian.uid));
    app.once(once, move |tx| {
        people::by_id(tx, person)?.ok_or(Error::NotFound)?;
        let what = Refund { person, amount, method: form.method, reference: &reference };
        let change = money::refund(tx, actor, moment, &what)?;
        let credit = money::credit(tx, person)?;
        Ok(Answer::json(StatusCode::CREATED, &Refunded { amount, credit, change })?.undoable(tx, &librarian))
    })
    .await
}

/// Read a receipt by its number, for instance `2026-27/000123`; send the slash as `%2F`.
#[utoipa::path(get, path = "/receipts/{number}", params(("number" = String, Path)),
    responses((status = 200, body = Receipt)))]
pub async fn read_receipt(
    State(app): State<Shared>,
    PathText(number): PathText,
) -> Result<axum::Json<Receipt>> {
    let receipt =
        app.library.db.snapshot(move |tx| ledger::receipt(tx, &number)).await.map_err(Error::from)?;
    receipt.map(axum::Json).ok_or(Error::NotFound)
}

/// Record a print of a receipt; call this before printing.
///
/// The first print is the original, later ones are copies; `prints` in the response counts them all (R-MONEY-3).
#[utoipa::path(post, path = "/receipts/{number}/prints", params(("number" = String, Path)),
    responses((status = 200, body = Receipt)))]
pub async fn count_print(
    State(app): State<Shared>,
    PathText(number): PathText,
    once: Once,
) -> Result<Answer> {
    app.once(once, move |tx| {
        if !ledger::count_print(tx, &number)? {
            return Err(Error::NotFound);
        }
        let receipt = ledger::receipt(tx, &number)?.ok_or(Error::NotFound)?;
        Answer::json(StatusCode::OK, &receipt)
    })
    .await
}
