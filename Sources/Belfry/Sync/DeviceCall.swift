import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// A request in progress, with everything that is needed to process its response.
struct DeviceCall: Sendable {
    enum Purpose: Sendable {
        case properties(StableDigest)
        case link(PendingLink)
        case refresh
        case pushToken(StableDigest)
        case registration(StableDigest, revision: Int64)
        case events(EventBatch)
        case centers(MessageCenterFetch)
        case center(String, generation: Int)
        case messageState(PendingMessageState)
        case badge(BadgeCall)
        case richContent(id: String, generation: Int, awaited: Int)
        case richReport(RichContentReport, awaited: Int?)
        case message(generation: Int, awaited: Int)
        case inApp(InAppFetch)
    }

    let purpose: Purpose
    let request: TransportRequest
}

/// A call about the badge in progress.
struct BadgeCall: Sendable {
    enum Kind: Hashable, Sendable {
        case fetch
        /// Resets the badge of a person who has left.
        case reset
        case set
    }

    let kind: Kind
    /// The generation when the call began.
    let generation: Int
    let revision: Int64
    /// An earlier set had no response, so the server may have treated this one as a repetition of it.
    let wasUncertain: Bool
    /// The number of the waiting caller; nil for the engine's own calls.
    let awaited: Int?
}

extension DeviceCall.Purpose {
    /// The numbers of the callers that wait for the response.
    var awaited: [Int] {
        switch self {
        case .centers(let fetch): fetch.awaited
        case .badge(let call): call.awaited.map { [$0] } ?? []
        case .richContent(_, _, let number), .message(_, let number): [number]
        case .richReport(_, let number): number.map { [$0] } ?? []
        case .inApp(let fetch): fetch.awaited
        case .properties, .link, .refresh, .pushToken, .registration, .events, .center, .messageState: []
        }
    }
}

/// The response to a call.
struct ServerResponse: Sendable {
    let outcome: CallOutcome
    let body: Data
    let clientState: String?
    /// The server's clock (EVT-9).
    let serverTime: Date?

    init(_ response: TransportResponse, now: Date) {
        var error: ErrorBody?
        if response.status >= 400 { error = try? CheckedJSON.response(ErrorBody.self, response.body) }
        serverTime = response.header("Date").flatMap(HTTPDate.date)
        outcome = CallOutcome.response(
            status: response.status,
            code: error?.error.code,
            message: error?.error.message,
            retryAfter: HTTPDate.retryAfter(response.header("Retry-After"), now: serverTime ?? now),
            at: now
        )
        body = response.body
        clientState = response.header(HeaderNames.clientState)
    }

    /// The result when no response arrived.
    init(_ error: any Error, now: Date) {
        outcome = .noResponse("No response: \(Self.name(of: error))", at: now)
        body = Data()
        clientState = nil
        serverTime = nil
    }

    /// The name of the error: enough to look it up, without values that the error contains.
    private static func name(of error: any Error) -> String {
        switch error {
        case let error as URLError: "URLError \(error.code.rawValue)"
        case let error as HTTPTransport.Failure: "\(error)"
        default: "\(type(of: error))"
        }
    }

    private init(_ other: ServerResponse, outcome: CallOutcome) {
        self.outcome = outcome
        body = other.body
        clientState = other.clientState
        serverTime = other.serverTime
    }

    /// The decoded body of a success, and the response with its final outcome.
    ///
    /// A success whose body does not conform to the API did not come from a Belfry server, but for example from the
    /// sign-in page of a wireless network: the call has to be repeated.
    func reading<Value: Decodable>(_ type: Value.Type, now: Date) -> (value: Value?, response: ServerResponse) {
        guard outcome == .accepted else { return (nil, self) }
        if let value = try? CheckedJSON.response(type, body) { return (value, self) }
        return (nil, misunderstood(now: now))
    }

    /// Checks a success with an empty or arbitrary body. Any server may send that, but only a Belfry server sends the
    /// client state, with every response (WIRE-20).
    func expectingNothing(now: Date) -> ServerResponse {
        guard outcome == .accepted else { return self }
        guard clientState?.isEmpty == false else { return misunderstood(now: now) }
        guard !body.isEmpty else { return self }
        return (try? CheckedJSON.response(body).tree()) == nil ? misunderstood(now: now) : self
    }

    /// A success that does not come from a Belfry server.
    func misunderstood(now: Date) -> ServerResponse {
        let failure = CallFailure(status: nil, message: "The response is not from a Belfry server.", at: now)
        return ServerResponse(self, outcome: .failed(failure, cause: .network, retryAfter: nil))
    }
}
