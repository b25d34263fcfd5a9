import BelfryModel
import BelfryRules
import Foundation

/// A request that a caller waits for. It is sent in turn with the engine's own requests, one at a time.
struct AwaitedCall: Sendable {
    enum Kind: Hashable, Sendable {
        case richContent(id: String)
        /// The message center message of a push.
        case message(sid: String)
        case setBadge(Int)
        case fetchCenters
        case fetchInApp
    }

    /// The result for the waiting caller.
    enum Response: Hashable, Sendable {
        case html(String)
        /// Nil when there is no such message.
        case message(StoredMessageCenterMessage?)
        case badge(Badge)
        case fetched
    }

    typealias Outcome = Result<Response, MessageCenterError>

    let number: Int
    let kind: Kind
    /// The generation of the centers or the badge at the time of the call. If it has changed, the person has changed,
    /// too (ID-4).
    let generation: Int
    /// Whether the call was repeated, once, after another call to the server.
    fileprivate var isRetried = false

    init(number: Int, kind: Kind, generation: Int) {
        self.number = number
        self.kind = kind
        self.generation = generation
    }
}

/// The waiting callers, in the order of their calls. Each gets one result.
struct AwaitedCalls: Sendable {
    private(set) var waiting: [AwaitedCall] = []
    /// The numbers of the callers whose request has been sent.
    var underWay: [Int] = []
    private var numbers = 0

    var first: AwaitedCall? { waiting.first }

    /// All callers that wait for a fetch of that kind: they share one response.
    func fetches(_ kind: AwaitedCall.Kind) -> [Int] { waiting.filter { $0.kind == kind }.map(\.number) }

    /// - Returns: the number of the new waiting caller.
    mutating func add(_ kind: AwaitedCall.Kind, generation: Int) -> Int {
        numbers += 1
        waiting.append(AwaitedCall(number: numbers, kind: kind, generation: generation))
        return numbers
    }

    /// - Returns: whether the caller continues to wait, because the call was not retried before.
    mutating func retry(_ number: Int) -> Bool {
        guard let place = waiting.firstIndex(where: { $0.number == number }), !waiting[place].isRetried else {
            return false
        }
        waiting[place].isRetried = true
        return true
    }

    /// Ends a waiting caller with `cancelled`, unless its request was already sent: then it gets the response.
    mutating func cancel(_ number: Int, _ effects: inout [Effect]) {
        guard !underWay.contains(number) else { return }
        end(number, .failure(.cancelled), &effects)
    }

    mutating func end(_ number: Int, _ outcome: AwaitedCall.Outcome, _ effects: inout [Effect]) {
        guard let place = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: place)
        effects.append(.finish(number, outcome))
    }

    mutating func endAll(_ error: MessageCenterError, _ effects: inout [Effect]) {
        for call in waiting {
            end(call.number, .failure(error), &effects)
        }
    }
}

extension MessageCenterError {
    static let cancelled = MessageCenterError(.cancelled, "The waiting task was cancelled before the request was sent.")
    static let notStarted = MessageCenterError(.invalidURL, "The client was not started. Start it first.")
    static let offline = MessageCenterError(.noNetwork, "There is no network.")
    static let anotherPerson = MessageCenterError(.noContact, "Another person now uses the device.")
    static let notLinked = MessageCenterError(.noContact, "The device is not linked to a contact yet.")

    /// The error for a suspended client.
    init(_ error: ValueError) {
        self.init(.resting, error.message)
    }
}
