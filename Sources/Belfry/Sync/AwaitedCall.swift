import BelfryModel
import Foundation

/// A call whose answer somebody waits for. It takes its turn among the engine's own calls, one at a time.
struct AwaitedCall: Sendable {
    enum Kind: Hashable, Sendable {
        case richContent(id: String)
        case setBadge(Int)
        case fetchCenters
        case fetchInApp
    }

    /// What the one who waits gets.
    enum Answer: Hashable, Sendable {
        case html(String)
        case badge(Badge)
        case fetched
    }

    typealias Outcome = Result<Answer, MessageCenterError>

    let number: Int
    let kind: Kind
    /// Of the centres or the badge when it was asked: with another one it is about a person who has left (ID-4).
    let generation: Int
    private let continuation: CheckedContinuation<Outcome, Never>

    init(number: Int, kind: Kind, generation: Int, continuation: CheckedContinuation<Outcome, Never>) {
        self.number = number
        self.kind = kind
        self.generation = generation
        self.continuation = continuation
    }

    func end(_ outcome: Outcome) {
        continuation.resume(returning: outcome)
    }
}

/// Those who wait, in the order in which they asked. Each is answered once.
struct AwaitedCalls: Sendable {
    private(set) var waiting: [AwaitedCall] = []
    /// Those whose call is on its way to the server.
    var underWay: [Int] = []
    private var numbers = 0

    var first: AwaitedCall? { waiting.first }

    /// All who wait for a fetch of that kind: one answers them together.
    func fetches(_ kind: AwaitedCall.Kind) -> [Int] { waiting.filter { $0.kind == kind }.map(\.number) }

    /// The number of one who is about to wait.
    mutating func nextNumber() -> Int {
        numbers += 1
        return numbers
    }

    mutating func add(_ call: AwaitedCall) {
        waiting.append(call)
    }

    /// One who waits no longer hears so, unless the call has left: what it did is known when its answer comes.
    mutating func cancel(_ number: Int) {
        guard !underWay.contains(number) else { return }
        end(number, .failure(.cancelled))
    }

    mutating func end(_ number: Int, _ outcome: AwaitedCall.Outcome) {
        guard let place = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: place).end(outcome)
    }

    /// Everybody who waits, or those of whom it is true, hears of the same fault.
    mutating func endAll(_ error: MessageCenterError, where isMeant: (AwaitedCall) -> Bool = { _ in true }) {
        let meant = waiting.filter(isMeant)
        waiting.removeAll(where: isMeant)
        for call in meant {
            call.end(.failure(error))
        }
    }
}
