import Belfry
import BelfryModel

/// PERF-8: measures what `track` costs an app. The event is durable on the device when it returns. The flush policies
/// are on from the first call, and the server never answers.
struct TrackBench {
    struct Figures: Sendable {
        /// The duration of each call in microseconds, in order.
        let microseconds: [Double]
        let seconds: Double
        /// The number of events in the queue afterwards, including the SDK's own.
        let queued: Int
        /// The mean size of an event's body in the queue, in bytes.
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
