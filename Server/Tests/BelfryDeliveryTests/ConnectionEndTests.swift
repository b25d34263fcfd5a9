import BelfryDelivery
import BelfryPush
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ConnectionEndTests {
    /// Why a request was not processed that came to no stream in time.
    private static let noStream = "no stream was free before its deadline"

    @Test(
        "PUSH-4: a GOAWAY returns streams above its last one, the rest is answered, a new connection follows"
    )
    func goAway() async throws {
        let open = Recorder<ScriptedPeer.Request>()
        try await withPool(
            script: { request in
                guard request.connection == 1 else { return [request.answer()] }
                guard open.append(request) == 10 else { return [] }
                var actions: [ScriptedPeer.Action] = [.goAway(lastStream: 9)]
                for request in open.all where request.stream <= 9 { actions.append(request.answer()) }
                return actions
            },
            { pool, peer in
                let results = await pool.send((0..<10).map { PushRequest.numbered($0) })
                for result in results.prefix(5) { #expect(result.response?.status == 200) }
                for result in results.suffix(5) {
                    let reason = "the server is closing the connection and did not process the request"
                    #expect(result.notProcessed == reason)
                }
                #expect(await pool.send([PushRequest.numbered(10)]).first?.response?.status == 200)
                #expect(peer.connectionCount == 2)
            }
        )
    }

    @Test("PUSH-4: new requests take a new connection while the old one still waits for responses")
    func oldAndNew() async throws {
        let held = Recorder<ScriptedPeer.Request>()
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        try await withPool(
            script: { request in
                guard request.connection == 1 else { return [request.answer()] }
                guard held.append(request) == 1 else { return [request.answer()] }
                arrived.yield()
                // The gentle way (RFC 9113 §6.8): what comes before the client has heard it is still taken.
                return [.goAway(lastStream: Int(Int32.max))]
            },
            { pool, peer in
                // Its response comes when the test says so, however busy the machine is.
                async let old = pool.send([PushRequest.numbered(0)], deadline: pool.eventLoop.now + .minutes(5))
                for await _ in arrivals.prefix(1) {}
                // The GOAWAY is on its way: until it has come, requests are still sent to the old connection.
                while peer.connectionCount == 1 { _ = await pool.send([PushRequest.numbered(1)]) }
                #expect(peer.connectionCount == 2)
                peer.perform(held.all.prefix(1).map { $0.answer(410) }, onConnection: 1)
                let results = await old
                #expect(results.first?.response?.status == 410, "\(results)")
            }
        )
    }

    @Test("PUSH-4: requests in flight on a lost connection have no response; the next one reconnects")
    func lostConnection() async throws {
        try await withPool(
            script: { request in request.connection == 1 ? [.close] : [request.answer()] },
            { pool, peer in
                #expect(await pool.send([PushRequest.numbered(0)]).first?.unanswered == "connection lost")
                #expect(await pool.send([PushRequest.numbered(1)]).first?.response?.status == 200)
                #expect(peer.connectionCount == 2)
            }
        )
    }

    @Test("PUSH-4: a dead connection is found by PING")
    func deadConnection() async throws {
        var settings = DeliverySettings.quick
        settings.pingAfterSilence = .milliseconds(20)
        settings.pingTimeout = .milliseconds(20)
        try await withPool(
            settings: settings,
            script: { _ in [.stopReading] },
            { pool, _ in
                let result = await pool.send([PushRequest.numbered(0)]).first
                #expect(result?.unanswered == "the connection is dead: no response to PING")
            }
        )
    }

    @Test("PUSH-4: an idle connection whose peer answers PINGs stays")
    func idleConnection() async throws {
        var settings = DeliverySettings.quick
        settings.pingAfterSilence = .milliseconds(10)
        // The second PING follows the answer to the first: the test waits for that, not for this time.
        settings.pingTimeout = .minutes(10)
        try await withPool(
            settings: settings,
            script: { request in [request.answer()] },
            { pool, peer in
                _ = await pool.send([PushRequest.numbered(0)])
                for await _ in peer.pings.prefix(2) {}
                #expect(await pool.send([PushRequest.numbered(1)]).first?.response?.status == 200)
                #expect(peer.connectionCount == 1)
            }
        )
    }

    @Test("PUSH-4: a request without a response times out, its stream is reset, the connection continues")
    func timeout() async throws {
        var settings = DeliverySettings.quick
        // Long enough for a busy machine to give the request its stream in time.
        settings.requestTimeout = .seconds(5)
        try await withPool(
            settings: settings,
            script: { request in request[":path"] == "/silent/1" ? [] : [request.answer()] },
            { pool, peer in
                // The first one opens the connection, for which the time-out is too short.
                func far() -> NIODeadline { pool.eventLoop.now + .minutes(5) }
                #expect(await pool.send([.numbered(0)], deadline: far()).first?.response?.status == 200)
                let silent = PushRequest.numbered(1, path: "/silent/")
                var result: PushResult?
                // A machine that stood still has kept it from its stream, which says nothing.
                repeat { result = await pool.send([silent]).first } while result?.notProcessed == Self.noStream
                #expect(result?.unanswered == "timeout")
                #expect(await pool.send([.numbered(2)], deadline: far()).first?.response?.status == 200)
                #expect(peer.connectionCount == 1)
                #expect(peer.resetCount == 1)
            }
        )
    }

    @Test("PUSH-4, PUSH-5: the time for the response begins with the stream, however long the request waited for one")
    func timeoutAfterWaiting() async throws {
        var settings = DeliverySettings.quick
        settings.streamsPerConnection = 1
        // Long: on a busy machine, too, the stream is free before the second request has waited for so long.
        settings.requestTimeout = .seconds(12)
        let (arrivals, arrived) = AsyncStream<ScriptedPeer.Request>.makeStream()
        try await withPool(
            settings: settings,
            script: { request in
                if request[":path"] == "/3/device/0" { arrived.yield(request) }
                return []
            },
            { pool, peer in
                var results: [(result: PushResult, moment: NIODeadline)] = []
                var requests = arrivals.makeAsyncIterator()
                repeat {
                    let (ends, ended) = AsyncStream<(PushResult, NIODeadline)>.makeStream()
                    pool.send([.numbered(0)], deadline: pool.eventLoop.now + .minutes(5)) { _, result in
                        ended.yield((result, .now()))
                    }
                    let first = try #require(await requests.next())
                    pool.send([.numbered(1)]) { _, result in ended.yield((result, .now())) }
                    // The second one waits for so much longer than a time-out may be told late.
                    pool.eventLoop.scheduleTask(in: .seconds(2)) {
                        peer.perform([first.answer()], onConnection: first.connection)
                    }
                    results = []
                    for await end in ends.prefix(2) { results.append(end) }
                    // A machine that stood still has kept the second one from its stream, which says nothing.
                } while results.contains { $0.result.notProcessed == Self.noStream }
                let (freed, late) = (try #require(results.first), try #require(results.last))
                #expect(freed.result.response?.status == 200)
                #expect(late.result.unanswered == "timeout")
                #expect(late.moment - freed.moment >= settings.requestTimeout)
            }
        )
    }

    @Test("PUSH-4: a connection that responds to nothing any more is replaced")
    func onlyTimeouts() async throws {
        var stoodStill = false
        repeat {
            try await withPool(
                script: { request in
                    request.connection == 1 && request[":path"] != "/3/device/0" ? [] : [request.answer()]
                },
                { pool, peer in
                    #expect(await pool.send([PushRequest.numbered(0)]).first?.response?.status == 200)
                    // Long enough for a busy machine to give each of them its stream in time.
                    let soon = pool.eventLoop.now + .seconds(5)
                    let silent = await pool.send((1...16).map { PushRequest.numbered($0) }, deadline: soon)
                    // A machine that stood still has kept some from their streams, which says nothing.
                    stoodStill = silent.contains { $0.notProcessed == Self.noStream }
                    guard !stoodStill else { return }
                    let areLate = silent.allSatisfy { $0.unanswered == "timeout" }
                    #expect(areLate)
                    #expect(await pool.send([PushRequest.numbered(17)]).first?.response?.status == 200)
                    #expect(peer.connectionCount == 2)
                }
            )
        } while stoodStill
    }

    @Test("PUSH-4: shutdown waits for responses and accepts nothing new")
    func shutdown() async throws {
        let held = Recorder<ScriptedPeer.Request>()
        var settings = DeliverySettings.quick
        settings.shutdownGrace = .minutes(5)
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        try await withPool(
            settings: settings,
            script: { request in
                guard request[":path"] == "/held/0" else { return [request.answer()] }
                held.append(request)
                arrived.yield()
                return []
            },
            { pool, peer in
                async let old = pool.send([PushRequest.numbered(0, path: "/held/")])
                for await _ in arrivals.prefix(1) {}
                async let end: Void = pool.shutdown()
                var late = await pool.send([PushRequest.numbered(1)]).first
                while late?.response != nil { late = await pool.send([PushRequest.numbered(1)]).first }
                #expect(late?.notProcessed == "the server is shutting down")
                peer.perform(held.all.map { $0.answer() }, onConnection: 1)
                let results = await old
                #expect(results.first?.response?.status == 200)
                await end
            }
        )
    }

    @Test("PUSH-4: shutdown does not wait forever")
    func shutdownGrace() async throws {
        var settings = DeliverySettings.quick
        settings.shutdownGrace = .milliseconds(20)
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        try await withPool(
            settings: settings,
            script: { _ in
                arrived.yield()
                return []
            },
            { pool, _ in
                async let silent = pool.send([PushRequest.numbered(0)])
                for await _ in arrivals.prefix(1) {}
                await pool.shutdown()
                let results = await silent
                #expect(results.first?.unanswered == "the server is shutting down")
            }
        )
    }
}
