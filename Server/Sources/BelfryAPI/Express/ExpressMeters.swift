import BelfryServices
import CoreMetrics
import Foundation

/// How often the express lane answers, by route, and how long it takes (FLEET-11). A request costs one addition: only one
/// in ``sampling`` of a connection is measured.
struct ExpressMeters: Sendable {
    static let requests = "belfry_express_requests_total"
    static let duration = "belfry_express_duration_seconds"
    static let sampling = 64

    struct Meter: Sendable {
        let requests: Counter
        let duration: CoreMetrics.Timer

        fileprivate init(_ method: String, _ route: String, _ metrics: Metrics) {
            let labels = [("method", method), ("route", route)]
            requests = Counter(label: ExpressMeters.requests, dimensions: labels, factory: metrics)
            duration = CoreMetrics.Timer(label: ExpressMeters.duration, dimensions: labels, factory: metrics)
        }
    }

    private let eventsOfV3: Meter
    private let eventsOfV4: Meter
    private let registration: Meter
    private let messages: Meter
    private let messageCenters: Meter
    private let inAppMessages: Meter
    private let now: @Sendable () -> Date

    init(metrics: Metrics, now: @escaping @Sendable () -> Date) {
        let client = "/v3/apps/{appCode}/client"
        eventsOfV3 = Meter("POST", "\(client)/events", metrics)
        eventsOfV4 = Meter("POST", "/v4/apps/{appCode}/client/events", metrics)
        registration = Meter("POST", "\(client)/registration", metrics)
        messages = Meter("GET", "\(client)/message-centers/{center}/messages", metrics)
        messageCenters = Meter("GET", "\(client)/message-centers", metrics)
        inAppMessages = Meter("GET", "\(client)/in-app-messages", metrics)
        self.now = now
    }

    /// - Parameters:
    ///   - begin: when the request's head came.
    ///   - number: the number of answers before this one on the same connection.
    func answered(_ call: ExpressCall, since begin: Date, number: Int) {
        let meter = meter(of: call)
        meter.requests.increment()
        guard number.isMultiple(of: Self.sampling) else { return }
        let seconds = max(now().timeIntervalSince(begin), 0)
        meter.duration.recordNanoseconds(Int64((seconds * 1_000_000_000).rounded()))
    }

    private func meter(of call: ExpressCall) -> Meter {
        switch call {
        case .events(.v3): eventsOfV3
        case .events(.v4): eventsOfV4
        case .registration: registration
        case .messages: messages
        case .messageCenters: messageCenters
        case .inAppMessages: inAppMessages
        }
    }
}
