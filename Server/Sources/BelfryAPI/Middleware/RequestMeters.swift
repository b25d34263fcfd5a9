import BelfryServices
import CoreMetrics
import Foundation
import Hummingbird

/// How long the router's requests take, from the request's head to the response's head, by route, and how they end
/// (FLEET-11). All timers are created once, and one without measurements is not shown.
struct RequestMeters: Sendable {
    static let duration = "belfry_request_duration_seconds"
    static let responses = "belfry_responses_total"

    /// The timers by path, in the router's notation, and method.
    private let routes: [String: [String: CoreMetrics.Timer]]
    /// One timer for the console and its many files.
    private let console: CoreMetrics.Timer
    /// One timer for requests that no operation describes: unknown addresses, preflights, files of the browser SDK.
    private let others: CoreMetrics.Timer
    /// The counters by the first digit of the status.
    private let statuses: [Counter]
    private let now: @Sendable () -> Date

    init(_ operations: [APIOperation], metrics: Metrics, now: @escaping @Sendable () -> Date) {
        func timer(_ method: String, _ route: String) -> CoreMetrics.Timer {
            CoreMetrics.Timer(
                label: Self.duration, dimensions: [("method", method), ("route", route)], factory: metrics
            )
        }
        routes = operations.reduce(into: [:]) { routes, operation in
            let method = operation.method.rawValue.uppercased()
            routes[operation.path, default: [:]][method] = timer(method, operation.path)
        }
        console = timer("any", "console")
        others = timer("any", "other")
        statuses = (1...5).map { digit in
            Counter(label: Self.responses, dimensions: [("status", "\(digit)xx")], factory: metrics)
        }
        self.now = now
    }

    /// The time at which a request came.
    func begin() -> Date { now() }

    func end(_ method: HTTPRequest.Method, at path: String?, status: Int, since begin: Date) {
        // If the clock was set meanwhile, the difference may be negative.
        let seconds = max(now().timeIntervalSince(begin), 0)
        timer(method, path).recordNanoseconds(Int64((seconds * 1_000_000_000).rounded()))
        let digit = status / 100
        if statuses.indices.contains(digit - 1) { statuses[digit - 1].increment() }
    }

    private func timer(_ method: HTTPRequest.Method, _ path: String?) -> CoreMetrics.Timer {
        guard let path else { return others }
        if let timer = routes[path]?[method.rawValue] { return timer }
        return path.utf8.starts(with: "/console".utf8) ? console : others
    }
}
