import BelfryModel
import Foundation

/// A call whose answer somebody waits for. It takes its turn among the engine's own calls, one at a time.
struct AwaitedCall: Sendable {
    enum Kind: Hashable, Sendable {
        case richContent(id: String)
        case setBadge(Int)
        case fetchCenters
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
    private var numbers = 0

    var first: AwaitedCall? { waiting.first }

    mutating func add(
        _ kind: AwaitedCall.Kind,
        generation: Int,
        _ continuation: CheckedContinuation<AwaitedCall.Outcome, Never>
    ) {
        numbers += 1
        let call = AwaitedCall(number: numbers, kind: kind, generation: generation, continuation: continuation)
        waiting.append(call)
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
