/// Asks again and again until a response satisfies, and returns it.
///
/// It is for what another process does by itself: its state cannot be awaited, only asked for. Nothing else in these
/// tests sleeps, and how long something takes is never judged: a defect ends the test when the response has stayed the
/// same for a minute.
///
/// - Parameter what: names it in the error, as in "the campaign completes".
@discardableResult
func eventually<Response>(
    _ what: String, every pause: Duration = .milliseconds(50),
    ask: () async throws -> Response, until satisfied: (Response) -> Bool
) async throws -> Response {
    var last = ""
    var lastLook = ContinuousClock.now
    var quiet = Duration.zero
    while true {
        let response = try await ask()
        if satisfied(response) { return response }
        // Of a machine that stood still a look says no more than of any other second.
        quiet += min(lastLook.duration(to: .now), .seconds(1) + pause)
        lastLook = .now
        if "\(response)" != last {
            last = "\(response)"
            quiet = .zero
        }
        guard quiet < .seconds(60) else { throw NeverHappened(what: what, last: last) }
        try await Task.sleep(for: pause)
    }
}

struct NeverHappened: Error, CustomStringConvertible {
    let what: String
    let last: String

    var description: String { "It never came that \(what). The last answer was: \(last)" }
}
