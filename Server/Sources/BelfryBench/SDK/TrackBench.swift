import Belfry
import BelfryModel

/// PERF-8: what `track` costs an app: durable on the device when it returns, with the flush policies on and from the
/// first call, against a server that never answers.
struct TrackBench {
    struct Figures: Sendable {
        /// Of each call, in their order; in microseconds.
        let microseconds: [Double]
        let seconds: Double
        /// Events in the queue afterwards, the SDK's own included.
        let queued: Int
        /// The mean size of an event's body in the queue.
        let bodyBytes: Int
    }

    let configuration: BelfryConfiguration
    let events: Int

    func run() async throws -> Figures {
        let client = try BelfryClient(configuration: configuration, platform: HeadlessPlatform.ofBench())
        try await client.start()
        let clock = ContinuousClock()
        var durations: [Duration] = []
        durations.reserveCapacity(events)
        let begin = clock.now
        for number in 0..<events {
            let before = clock.now
            try await client.track(
                "cart:add", attributes: ["sku": .string("sku-\(number)"), "price": 9.5, "quantity": 2]
            )
            durations.append(clock.now - before)
        }
        let total = clock.now - begin
        let queue = try await client.state().queue
        await client.stop()
        return Figures(
            microseconds: durations.map(\.inMicroseconds), seconds: total.inSeconds, queued: queue.count,
            bodyBytes: queue.bytes / max(1, queue.count)
        )
    }
}
