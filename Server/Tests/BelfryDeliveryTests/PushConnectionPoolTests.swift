import BelfryDelivery
import BelfryPush
import NIOHTTP2
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PushConnectionPoolTests {
    @Test("PUSH-4: path, headers and body arrive unchanged, on one connection")
    func requestsArriveIntact() async throws {
        let received = Recorder<ScriptedPeer.Request>()
        try await withPool(
            script: { request in
                received.append(request)
                return [request.answer()]
            },
            { pool, peer in
                for number in 0..<3 {
                    let results = await pool.send([PushRequest.numbered(number)])
                    #expect(results.first?.response?.status == 200)
                }
                #expect(peer.connectionCount == 1)
                #expect(received.all.count == 3)
                for (number, request) in received.all.enumerated() {
                    #expect(request[":method"] == "POST")
                    #expect(request[":scheme"] == "https")
                    #expect(request[":authority"] == "127.0.0.1:\(peer.port)")
                    #expect(request[":path"] == "/3/device/\(number)")
                    #expect(request["authorization"] == "bearer aaaa.bbbb.cccc")
                    #expect(request["apns-topic"] == "com.example.app")
                    #expect(request["apns-id"] == "id-\(number)")
                    #expect(request["apns-collapse-id"] == "campaign")
                    #expect(String(decoding: request.body, as: UTF8.self) == "{\"number\":\(number)}")
                }
            }
        )
    }

    @Test("PUSH-4: status, fields and body of a response arrive")
    func answersArriveIntact() async throws {
        let fields = [
            HeaderField("apns-id", "one"), HeaderField("content-type", "application/json"),
            HeaderField("retry-after", "60"), HeaderField("retry-after", "70"),
        ]
        let body = Array("{\"reason\":\"TooManyRequests\"}".utf8)
        try await withPool(
            script: { request in [request.answer(429, [HeaderField("server", "sink")] + fields, body: body)] },
            { pool, _ in
                let response = try #require(await pool.send([PushRequest.numbered(1)]).first?.response)
                #expect(response.status == 429)
                #expect(response.fields == [HeaderField("retry-after", "60")], "nobody asks for the others")
                #expect(response.body == body)
            }
        )
    }

    @Test("PUSH-4: a body larger than a frame arrives completely, and an empty one too")
    func bodySizes() async throws {
        let received = Recorder<[UInt8]>()
        try await withPool(
            script: { request in
                received.append(request.body)
                return [request.answer()]
            },
            { pool, _ in
                var large = PushRequest.numbered(1)
                large.body = (0..<50_000).map { UInt8(truncatingIfNeeded: $0) }
                var empty = PushRequest.numbered(2)
                empty.body = []
                for request in [large, empty] {
                    #expect(await pool.send([request]).first?.response?.status == 200)
                }
                #expect(received.all == [large.body, []])
            }
        )
    }

    @Test("PUSH-4: 5,000 requests get one response each")
    func everyRequestOnce() async throws {
        try await withPool(
            script: { request in [request.answer(body: Array((request["apns-id"] ?? "").utf8))] },
            { pool, peer in
                let count = 5_000
                let responses = Recorder<[String]>()
                let (done, finish) = AsyncStream<Void>.makeStream()
                pool.send((0..<count).map { PushRequest.numbered($0) }) { index, result in
                    let id = String(decoding: result.response?.body ?? [], as: UTF8.self)
                    if responses.append(["id-\(index)", id]) == count { finish.finish() }
                }
                for await _ in done {}
                // One more round trip: a response too many would have come now.
                _ = await pool.send([PushRequest.numbered(count)])
                #expect(responses.all.count == count)
                #expect(Set(responses.all.map { $0[0] }).count == count)
                #expect(responses.all.allSatisfy { $0[0] == $0[1] })
                #expect(peer.connectionCount == 1)
            }
        )
    }

    @Test("PUSH-4: requests sent from onAnswer continue, batch after batch")
    func sendFromAnswer() async throws {
        try await withPool(
            script: { request in [request.answer()] },
            { pool, _ in
                let (statuses, answered) = AsyncStream<Int>.makeStream()
                let left = Recorder<Int>()
                Self.chain(pool, left: left) { answered.yield($0) }
                var count = 0
                for await status in statuses.prefix(20) {
                    #expect(status == 200)
                    count += 1
                }
                #expect(count == 20)
            }
        )
    }

    /// Sends two requests; the first response sends the next two, ten times over.
    private static func chain(
        _ pool: PushConnectionPool,
        left: Recorder<Int>,
        note: @escaping @Sendable (Int) -> Void
    ) {
        pool.send([PushRequest.numbered(0), PushRequest.numbered(1)]) { index, result in
            note(result.response?.status ?? 0)
            if index == 0, left.append(index) < 10 { chain(pool, left: left, note: note) }
        }
    }

    @Test("PUSH-4: no more streams are open than the peer allows")
    func maxConcurrentStreams() async throws {
        let limit = 7
        let open = Recorder<ScriptedPeer.Request>()
        try await withPool(
            maxConcurrentStreams: limit,
            script: { request in
                // Answered by sevens: were fewer sent at a time this would never end, were it more they'd be refused.
                open.append(request) == limit ? open.takeAll().map { $0.answer() } : []
            },
            { pool, peer in
                let results = await pool.send((0..<14 * limit).map { PushRequest.numbered($0) })
                #expect(results.allSatisfy { $0.response?.status == 200 })
                #expect(peer.connectionCount == 1)
            }
        )
    }

    @Test("PUSH-4: no more streams are open than Belfry's own limit allows")
    func ownLimit() async throws {
        var settings = DeliverySettings.quick
        settings.streamsPerConnection = 3
        let open = Recorder<ScriptedPeer.Request>()
        let most = Recorder<Int>()
        try await withPool(
            settings: settings,
            script: { request in
                most.append(open.append(request))
                return open.all.count == 3 ? open.takeAll().map { $0.answer() } : []
            },
            { pool, _ in
                let results = await pool.send((0..<30).map { PushRequest.numbered($0) })
                #expect(results.allSatisfy { $0.response?.status == 200 })
                #expect(most.all.max() == 3)
            }
        )
    }

    @Test("PUSH-4: many requests are distributed over several connections")
    func severalConnections() async throws {
        var settings = DeliverySettings.quick
        settings.connections = 3
        settings.streamsPerConnection = 10
        let spread = Spread(connections: 3)
        try await withPool(
            settings: settings,
            script: { request in spread.receive(request) },
            { pool, peer in
                async let sent = pool.send((0..<300).map { PushRequest.numbered($0) })
                for await _ in spread.isReached {}
                for request in spread.takeHeld() {
                    peer.perform([request.answer()], onConnection: request.connection)
                }
                let results = await sent
                #expect(results.count == 300)
                #expect(results.allSatisfy { $0.response?.status == 200 })
                #expect(peer.connectionCount == 3)
            }
        )
    }

    @Test("PUSH-4: a scripted failure of one request does not affect its neighbours")
    func resets() async throws {
        try await withPool(
            script: { request in
                switch request[":path"] {
                case "/refuse/1": [.reset(stream: request.stream, code: .refusedStream)]
                case "/fail/2": [.reset(stream: request.stream, code: .internalError)]
                default: [request.answer()]
                }
            },
            { pool, peer in
                let results = await pool.send([
                    .numbered(0), .numbered(1, path: "/refuse/"), .numbered(2, path: "/fail/"), .numbered(3),
                ])
                #expect(results[0].response?.status == 200)
                #expect(results[1].notProcessed == "the server refused the stream")
                #expect(results[2].unanswered == "the server reset the stream")
                #expect(results[3].response?.status == 200)
                #expect(peer.connectionCount == 1)
            }
        )
    }
}
