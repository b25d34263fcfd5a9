import Foundation
import Hummingbird

/// The request bodies of the control API.
enum ControlInput {
    struct Key: Decodable {
        var teamId: String
        var keyId: String
        var publicKey: String
        var topics: Set<String>?
        /// Nil: all environments.
        var environments: Set<APNsEnvironment>?
    }

    struct Token: Decodable {
        var topic: String
        var environment: APNsEnvironment
    }

    /// For a key that the caller has; or for one that the simulator creates, with only `projectId`.
    struct ServiceAccount: Decodable {
        var projectId: String
        var clientEmail: String?
        var privateKeyId: String?
        var publicKey: String?
    }

    struct FCMToken: Decodable {
        var projectId: String
    }

    struct FCMState: Decodable {
        var state: FCMTokenState
    }

    struct Subscription: Decodable {
        var applicationServerKey: String?
    }

    struct SubscriptionState: Decodable {
        var state: WebPushSubscriptionState
    }

    struct State: Decodable {
        var state: Name
        /// In milliseconds since 1970.
        var since: Double?

        enum Name: String, Decodable {
            case valid, unregistered, expired, malformed, wrongTopic
        }
    }

    struct Quota: Decodable {
        var requests: Int
        var intervalSeconds: Double
    }

    /// An absent quota means no limit.
    struct APNsQuotas: Decodable {
        var device: Quota?
    }

    /// An absent quota means no limit.
    struct FCMQuotas: Decodable {
        var project: Quota?
        var device: Quota?
    }

    /// An absent quota means no limit.
    struct WebPushQuotas: Decodable {
        var sender: Quota?
        var subscription: Quota?
    }

    struct Faults: Decodable {
        var seed: UInt64?
        var rates: [String: Double]?
        var slowAnswerMilliseconds: Int?
        var goAwayAfter: Int?
        var silentAfter: Int?
        var latencyMilliseconds: Int?
        var retryAfterSeconds: Int?
    }

    /// Decodes a JSON body; throws a `ControlError` that names the field.
    static func decode<Input: ControlBody>(
        _ type: Input.Type,
        from request: Request,
        _ context: ControlContext
    ) async throws -> Input {
        let body = try await request.body.collect(upTo: context.maxUploadSize)
        let bytes = Array(body.readableBytesView)
        try type.rejectUnknown(in: bytes)
        do {
            return try ReceivedJSON.decode(type, from: bytes)
        } catch let error as DecodingError {
            throw explain(error)
        }
    }

    private static func explain(_ error: DecodingError) -> ControlError {
        switch error {
        case .keyNotFound(let key, let context):
            ControlError(field: name(of: context.codingPath + [key]), "is missing")
        case .typeMismatch(let type, let context):
            ControlError(field: name(of: context.codingPath), "must be a \(type)")
        case .valueNotFound(_, let context):
            ControlError(field: name(of: context.codingPath), "must not be null")
        case .dataCorrupted(let context):
            ControlError(
                field: name(of: context.codingPath),
                context.codingPath.isEmpty ? "is not JSON" : "has a value that is not allowed"
            )
        @unknown default:
            ControlError(field: "body", "cannot be read")
        }
    }

    private static func name(of path: [any CodingKey]) -> String {
        guard let first = path.first else { return "body" }
        return path.dropFirst().reduce(first.stringValue) { name, key in
            key.intValue.map { "\(name)[\($0)]" } ?? "\(name).\(key.stringValue)"
        }
    }
}

extension SimulatorQuota {
    /// The valid numbers of requests in one interval.
    private static let allowedRequests = 1...1_000_000_000
    /// The valid intervals in seconds, up to a day.
    private static let allowedIntervals = 0.001...86_400

    /// Throws `invalidValue` that names the field within `name`.
    static func of(_ input: ControlInput.Quota?, _ name: String) throws(SimulatorError) -> SimulatorQuota? {
        guard let input else { return nil }
        guard allowedRequests.contains(input.requests) else {
            throw SimulatorError(
                .invalidValue, field: "\(name).requests", "must be from 1 to \(allowedRequests.upperBound)"
            )
        }
        guard allowedIntervals.contains(input.intervalSeconds) else {
            throw SimulatorError(
                .invalidValue, field: "\(name).intervalSeconds",
                "must be from \(allowedIntervals.lowerBound) to \(Int(allowedIntervals.upperBound)) seconds"
            )
        }
        return SimulatorQuota(requests: input.requests, interval: input.intervalSeconds)
    }
}

extension FaultPlan {
    /// Throws `invalidValue` that names the field.
    init(_ input: ControlInput.Faults) throws(SimulatorError) {
        var rates: [Fault: Double] = [:]
        for (name, rate) in input.rates ?? [:] {
            let fault = try Fault(named: name)
            rates[fault] = rate
        }
        try self.init(
            seed: input.seed ?? 0,
            rates: rates,
            slowAnswer: Self.duration(input.slowAnswerMilliseconds ?? 250),
            goAwayAfter: input.goAwayAfter,
            silentAfter: input.silentAfter,
            latency: Self.duration(input.latencyMilliseconds ?? 0),
            retryAfter: input.retryAfterSeconds
        )
    }

    /// The duration. An extreme value is limited so that it does not overflow; it is still invalid.
    private static func duration(_ milliseconds: Int) -> Duration {
        .milliseconds(min(max(milliseconds, -1), 1 << 32))
    }
}

/// A poll of a device in another process: what it has already, and how long it waits.
struct ControlPoll: Sendable {
    /// The maximum wait of one call in seconds.
    static let longestWait = 60

    let after: Int
    let wait: Duration

    /// Reads `after` and `wait` from the query; 0 if they are absent.
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

/// Hummingbird's context of one request.
struct ControlContext: RequestContext {
    /// The maximum size of a body in bytes: a key in PEM and a few fields.
    static let bodyLimit = 16_384

    var coreContext: CoreRequestContextStorage

    init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
    }

    var maxUploadSize: Int { Self.bodyLimit }
}
