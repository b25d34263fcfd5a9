import BelfryModel
import CoreMetrics
import Foundation

/// Records how long push services take to respond, from the moment that a push is handed to the transport: the wait for
/// a place on a connection is included (FLEET-11).
struct PushDurations: Sendable {
    static let name = "belfry_push_duration_seconds"

    private let timers: [PushProvider: CoreMetrics.Timer]

    init(_ metrics: Metrics) {
        timers = PushProvider.allCases.reduce(into: [:]) { timers, provider in
            timers[provider] = CoreMetrics.Timer(
                label: Self.name, dimensions: [("provider", provider.rawValue)], factory: metrics
            )
        }
    }

    func note(_ seconds: TimeInterval, of provider: PushProvider) {
        // If the clock was set back in the meantime, the difference may be negative.
        timers[provider]?.recordNanoseconds(Int64((max(seconds, 0) * 1_000_000_000).rounded()))
    }
}
