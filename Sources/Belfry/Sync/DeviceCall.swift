import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// A request on its way, with what is needed to understand its answer.
struct DeviceCall: Sendable {
    enum Purpose: Sendable {
        case properties(StableDigest)
        case link(PendingLink)
        case refresh
        case pushToken(StableDigest)
        case registration(StableDigest, revision: Int64)
        case events(EventBatch)
        case centers(CenterFetch)
        case center(String, generation: Int)
        case messageState(PendingMessageState)
        case badge(BadgeCall)
        case richContent(id: String, generation: Int, awaited: Int)
        case inApp(InAppFetch)
    }

    let purpose: Purpose
    let request: TransportRequest
}

/// A call about the badge under way.
struct BadgeCall: Sendable {
    enum Kind: Hashable, Sendable {
        case fetch
        /// What a person who has left still owes.
        case reset
        case set
    }

    let kind: Kind
    /// As they were when it began.
    let generation: Int
    let revision: Int64
    /// A set before it had no answer, so this one may have been taken for its repetition.
    let wasUncertain: Bool
    /// The number of the one who waits for it; nil for the engine's own.
    let awaited: Int?
}

extension DeviceCall.Purpose {
    /// The numbers of those who wait for the answer.
    var awaited: [Int] {
        switch self {
        case .centers(let fetch): fetch.awaited
        case .badge(let call): call.awaited.map { [$0] } ?? []
        case .richContent(_, _, let number): [number]
        case .inApp(let fetch): fetch.awaited
        case .properties, .link, .refresh, .pushToken, .registration, .events, .center, .messageState: []
        }
    }
}

/// What came back.
struct DeviceAnswer: Sendable {
    let outcome: CallOutcome
    let body: Data
    let clientState: String?
    /// The server's clock (EVT-9).
    let serverTime: Date?

    init(_ response: TransportResponse, now: Date) {
        var error: ErrorBody?
        if response.status >= 400 { error = try? CheckedJSON.answer(ErrorBody.self, response.body) }
        outcome = CallOutcome.answer(
            status: response.status,
            code: error?.error.code,
            message: error?.error.message,
            retryAfter: HTTPDate.retryAfter(response.header("Retry-After"), now: now),
            at: now
        )
        body = response.body
        clientState = response.header(HeaderNames.clientState)
        serverTime = response.header("Date").flatMap(HTTPDate.date)
    }

    /// No answer came.
    init(_ error: any Error, now: Date) {
        outcome = .noAnswer("No answer came: \(Self.name(of: error))", at: now)
        body = Data()
        clientState = nil
        serverTime = nil
    }

    /// Enough to look the reason up, and nothing that the error quotes.
    private static func name(of error: any Error) -> String {
        switch error {
        case let error as URLError: "URLError \(error.code.rawValue)"
        case let error as URLSessionTransport.Failure: "\(error)"
        default: "\(type(of: error))"
        }
    }

    private init(_ other: DeviceAnswer, outcome: CallOutcome) {
        self.outcome = outcome
        body = other.body
        clientState = other.clientState
        serverTime = other.serverTime
    }

    /// The body of a success, and the answer with its final meaning.
    ///
    /// A success whose body is not what the API promises did not come from a Belfry server, but for example from the
    /// sign-in page of a wireless network: the call is to be made again.
    func reading<Value: Decodable>(_ type: Value.Type, now: Date) -> (value: Value?, answer: DeviceAnswer) {
        guard outcome == .accepted else { return (nil, self) }
        if let value = try? CheckedJSON.answer(type, body) { return (value, self) }
        return (nil, misunderstood(now: now))
    }

    /// The same for a success that has nothing to say, or something in JSON: anyone may answer so, but only a Belfry
    /// server names the client's state, on every answer (WIRE-20).
    func expectingNothing(now: Date) -> DeviceAnswer {
        guard outcome == .accepted else { return self }
        guard clientState?.isEmpty == false else { return misunderstood(now: now) }
        guard !body.isEmpty else { return self }
        return (try? CheckedJSON.answer(body).tree()) == nil ? misunderstood(now: now) : self
    }

    /// A success that no Belfry server gives.
    func misunderstood(now: Date) -> DeviceAnswer {
        let failure = CallFailure(status: nil, message: "The answer was not one of a Belfry server.", at: now)
        return DeviceAnswer(self, outcome: .failed(failure, cause: .network, retryAfter: nil))
    }
}
