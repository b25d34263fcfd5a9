import BelfryModel
import BelfryRules
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
    /// Of the centers or the badge when it was asked: with another one it is about a person who has left (ID-4).
    let generation: Int
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

    /// - Returns: the number of the one who waits from now on.
    mutating func add(_ kind: AwaitedCall.Kind, generation: Int) -> Int {
        numbers += 1
        waiting.append(AwaitedCall(number: numbers, kind: kind, generation: generation))
        return numbers
    }

    /// One who waits no longer hears so, unless the call has left: what it did is known when its answer comes.
    mutating func cancel(_ number: Int, _ effects: inout [Effect]) {
        guard !underWay.contains(number) else { return }
        end(number, .failure(.cancelled), &effects)
    }

    mutating func end(_ number: Int, _ outcome: AwaitedCall.Outcome, _ effects: inout [Effect]) {
        guard let place = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: place)
        effects.append(.answer(number, outcome))
    }

    mutating func endAll(_ error: MessageCenterError, _ effects: inout [Effect]) {
        for call in waiting {
            end(call.number, .failure(error), &effects)
        }
    }
}

extension MessageCenterError {
    static let cancelled = MessageCenterError(.cancelled, "The task that waited was cancelled before the call left.")
    static let notStarted = MessageCenterError(.invalidURL, "The client was not started; start it first.")
    static let offline = MessageCenterError(.noNetwork, "There is no network.")
    static let anotherPerson = MessageCenterError(.noContact, "Another person uses the device by now.")
    static let notLinked = MessageCenterError(.noContact, "The device is not linked to a contact yet.")

    /// The client rests.
    init(_ refusal: Refusal) {
        self.init(.resting, refusal.message)
    }
}
