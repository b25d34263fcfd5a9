/// Decides which requests fail, and how. The fault of a request follows from the seed and the request's number only, so
/// a run with the same requests in the same order fails in the same way.
public struct FaultPlan: Sendable, Equatable {
    /// A fault of a request.
    public enum Fault: String, Sendable, Codable, CaseIterable {
        /// 429 instead of acceptance: APNs `TooManyRequests`, FCM `QUOTA_EXCEEDED`.
        case tooManyRequests
        /// 500 instead of acceptance: APNs `InternalServerError`, FCM `INTERNAL`.
        case internalServerError
        /// 503 instead of acceptance: APNs `ServiceUnavailable`, FCM `UNAVAILABLE`.
        case serviceUnavailable
        /// 503 instead of acceptance: APNs `Shutdown`; for the others the same as `serviceUnavailable`.
        case shutdown
        /// The correct response, but late.
        case slowAnswer
        /// The push is processed and never answered.
        case noAnswer
        /// The connection is closed before the push is processed.
        case connectionLostBefore
        /// The connection is closed after the push was processed, without a response.
        case connectionLostAfter
    }

    /// The maximum delay of a response.
    public static let slowestAnswer = Duration.seconds(60)

    /// No faults.
    public static let none = FaultPlan()

    /// The seed of the draws.
    public let seed: UInt64
    /// The share of requests with each fault, from 0 to 1.
    public let rates: [Fault: Double]
    /// The delay of a slow response.
    public let slowAnswer: Duration
    /// The number of requests after which a connection gets a GOAWAY; nil: never.
    public let goAwayAfter: Int?
    /// The number of requests, counted from when the plan is set, after which the service processes requests but no
    /// longer responds; nil: never. So a test can count exactly which requests a sender had in flight when it ended.
    public let silentAfter: Int?
    /// The delay of every response.
    public let latency: Duration
    /// The value of `Retry-After` in seconds when a fault responds with 429 or 503; nil: no header, as always with
    /// APNs.
    public let retryAfter: Int?
    private let steps: [Step]

    /// One fault and its range of draws.
    private struct Step: Sendable, Equatable {
        var fault: Fault
        var below: Double
    }

    private init() {
        seed = 0
        rates = [:]
        slowAnswer = .zero
        goAwayAfter = nil
        silentAfter = nil
        latency = .zero
        retryAfter = nil
        steps = []
    }

    /// Each request has at most one fault, drawn by the rates.
    ///
    /// Throws `invalidValue` if a rate is not 0 to 1, the sum of the rates is more than 1, the slow response or the
    /// latency is not 0 to 60 s, GOAWAY comes after less than one request, the silence after less than zero, or
    /// `retryAfter` is not 0 to 86,400 s.
    public init(
        seed: UInt64,
        rates: [Fault: Double] = [:],
        slowAnswer: Duration = .milliseconds(250),
        goAwayAfter: Int? = nil,
        silentAfter: Int? = nil,
        latency: Duration = .zero,
        retryAfter: Int? = nil
    ) throws(SimulatorError) {
        for (fault, rate) in rates where !(0...1).contains(rate) {
            throw SimulatorError(.invalidValue, field: "rates.\(fault.rawValue)", "must be 0 to 1")
        }
        let total = rates.values.reduce(0, +)
        guard total <= 1.000_000_1 else {
            throw SimulatorError(.invalidValue, field: "rates", "must make no more than 1 in all")
        }
        guard slowAnswer >= .zero, slowAnswer <= Self.slowestAnswer else {
            throw SimulatorError(.invalidValue, field: "slowAnswerMilliseconds", "must be 0 to 60000")
        }
        guard goAwayAfter ?? 1 >= 1 else {
            throw SimulatorError(.invalidValue, field: "goAwayAfter", "must be 1 or more")
        }
        guard silentAfter ?? 0 >= 0 else {
            throw SimulatorError(.invalidValue, field: "silentAfter", "must be 0 or more")
        }
        guard latency >= .zero, latency <= Self.slowestAnswer else {
            throw SimulatorError(.invalidValue, field: "latencyMilliseconds", "must be 0 to 60000")
        }
        guard (0...86_400).contains(retryAfter ?? 0) else {
            throw SimulatorError(.invalidValue, field: "retryAfterSeconds", "must be 0 to 86400")
        }
        self.seed = seed
        self.rates = rates
        self.slowAnswer = slowAnswer
        self.goAwayAfter = goAwayAfter
        self.silentAfter = silentAfter
        self.latency = latency
        self.retryAfter = retryAfter
        steps = Self.steps(for: rates)
    }

    /// The fault of the request with this number; nil if it has none.
    public func fault(forRequest number: UInt64) -> Fault? {
        guard !steps.isEmpty else { return nil }
        let bits = SimulatorRandom.mixed(SimulatorRandom.mixed(seed) ^ SimulatorRandom.mixed(~number))
        let draw = Double(bits >> 11) * 0x1p-53
        return steps.first { draw < $0.below }?.fault
    }

    private static func steps(for rates: [Fault: Double]) -> [Step] {
        var below = 0.0
        return Fault.allCases.compactMap { fault in
            guard let rate = rates[fault], rate > 0 else { return nil }
            below += rate
            return Step(fault: fault, below: below)
        }
    }
}

extension FaultPlan.Fault {
    /// Finds a fault by its name. Throws `invalidValue` that lists the valid names.
    public init(named name: String) throws(SimulatorError) {
        guard let fault = FaultPlan.Fault(rawValue: name) else {
            let names = FaultPlan.Fault.allCases.map(\.rawValue).joined(separator: ", ")
            throw SimulatorError(.invalidValue, field: "rates.\(name)", "is no fault; there are \(names)")
        }
        self = fault
    }
}
