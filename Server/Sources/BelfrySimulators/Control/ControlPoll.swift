import Hummingbird

/// How a device of another process asks for news: what it has already, and how long it waits.
struct ControlPoll: Sendable {
    /// Seconds that it may wait in one call.
    static let longestWait = 60

    let after: Int
    let wait: Duration

    /// Reads `after` and `wait` of the query, 0 if they are not there.
    init(_ request: Request) throws {
        after = try Self.number("after", in: request, 0...Int.max)
        wait = .seconds(try Self.number("wait", in: request, 0...Self.longestWait))
    }

    private static func number(_ name: String, in request: Request, _ allowed: ClosedRange<Int>) throws -> Int {
        guard let text = request.uri.queryParameters.get(name) else { return allowed.lowerBound }
        guard let number = Int(text), allowed.contains(number) else {
            throw ControlError(
                field: name,
                "must be a whole number from \(allowed.lowerBound) to \(allowed.upperBound)"
            )
        }
        return number
    }
}
