import BelfryDelivery
import BelfryPush
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DeliveryLimitTests {
    @Test("PUSH-6: requests beyond those that may wait are returned, the others are sent")
    func waitingRequests() async throws {
        var settings = DeliverySettings.quick
        settings.waitingRequests = 5
        try await withPool(
            settings: settings,
            script: { request in [request.answer()] },
            { pool, _ in
                let results = await pool.send((0..<8).map { PushRequest.numbered($0) })
                for result in results.prefix(5) { #expect(result.response?.status == 200) }
                for result in results.suffix(3) { #expect(result.notProcessed == "too many requests waiting") }
            }
        )
    }

    @Test("PUSH-6: a request that finds no stream before its deadline is returned")
    func noStreamInTime() async throws {
        var settings = DeliverySettings.quick
        settings.streamsPerConnection = 1
        settings.shutdownGrace = .milliseconds(20)
        try await withPool(
            settings: settings,
            script: { request in request[":path"] == "/silent/0" ? [] : [request.answer()] },
            { pool, _ in
                let (arrivals, arrived) = AsyncStream<PushResult>.makeStream()
                let soon = pool.eventLoop.now + .milliseconds(300)
                pool.send([.numbered(0, path: "/silent/")], deadline: pool.eventLoop.now + .seconds(30)) { _, _ in }
                pool.send([.numbered(1)], deadline: soon) { _, result in arrived.yield(result) }
                for await result in arrivals.prefix(1) {
                    #expect(result.notProcessed == "no stream was free before its deadline")
                }
                await pool.shutdown()
            }
        )
    }

    @Test("PUSH-6: 8 KiB of a response's body are kept")
    func longBody() async throws {
        let body = (0..<12_000).map { UInt8(truncatingIfNeeded: $0) }
        try await withPool(
            script: { request in [request.answer(400, body: body)] },
            { pool, _ in
                let response = try #require(await pool.send([PushRequest.numbered(0)]).first?.response)
                #expect(response.status == 400)
                #expect(response.body == Array(body.prefix(8_192)))
                #expect(await pool.send([PushRequest.numbered(1)]).first?.response?.status == 400)
            }
        )
    }

    @Test("PUSH-6: unneeded fields of a response, and values beyond 256 bytes, are not kept")
    func fields() async throws {
        let fields =
            (0..<50).map { HeaderField("x-\($0)", "value") } + [
                HeaderField("apns-id", String(repeating: "a", count: 257)), HeaderField("retry-after", "1"),
            ]
        try await withPool(
            script: { request in [request.answer(503, fields)] },
            { pool, _ in
                let response = try #require(await pool.send([PushRequest.numbered(0)]).first?.response)
                #expect(response.fields == [HeaderField("retry-after", "1")])
            }
        )
    }
}
