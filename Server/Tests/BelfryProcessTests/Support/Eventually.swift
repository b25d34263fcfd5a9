/// Asks again and again until an answer satisfies, and returns it.
///
/// It is for what another process does by itself: its state cannot be awaited, only asked for. Nothing else in these
/// tests sleeps, and how long something takes is never judged: the limit, a minute however often is asked, is there so
/// that a defect ends the test.
///
/// - Parameter what: names it in the error, as in "the campaign completes".
@discardableResult
func eventually<Answer>(
    _ what: String, every pause: Duration = .milliseconds(50),
    ask: () async throws -> Answer, until satisfied: (Answer) -> Bool
) async throws -> Answer {
    let end = ContinuousClock.now + .seconds(60)
    while true {
        let answer = try await ask()
        if satisfied(answer) { return answer }
        guard ContinuousClock.now < end else { throw NeverHappened(what: what, last: "\(answer)") }
        try await Task.sleep(for: pause)
    }
}

struct NeverHappened: Error, CustomStringConvertible {
    let what: String
    let last: String

    var description: String { "It never came that \(what). The last answer was: \(last)" }
}
