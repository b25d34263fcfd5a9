import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct IdempotencyRepositoryTests {
    @Test("ADM-3: an entry is reserved, filled and found again, by principal and key", arguments: Engine.allCases)
    func roundTrip(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let rows = try await store.write { connection -> [IdempotentResponseRow?] in
            let responses = connection.idempotency
            let before = try responses.find(principal: "root", key: "k")
            try responses.reserve(principal: "root", key: "k", requestHash: [0, 255, 7], now: storeEpoch)
            let reserved = try responses.find(principal: "root", key: "k")
            try responses.fill(principal: "root", key: "k", reservedAt: storeEpoch, status: 201, body: "sealed")
            return [
                before, reserved, try responses.find(principal: "root", key: "k"),
                try responses.find(principal: "root", key: "K"), try responses.find(principal: "key-1", key: "k"),
            ]
        }
        #expect(rows[0] == nil && rows[3] == nil && rows[4] == nil)
        let reserved = try #require(rows[1])
        #expect(reserved.status == nil && reserved.requestHash == [0, 255, 7] && reserved.createdAt == storeEpoch)
        let filled = try #require(rows[2])
        #expect(filled.status == 201 && filled.body == "sealed" && filled.requestHash == [0, 255, 7])
    }

    @Test(
        "ADM-3: only its last owner fills an entry or releases it, and a response stays", arguments: Engine.allCases
    )
    func owners(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let statuses = try await store.write { connection -> [[Int]] in
            let responses = connection.idempotency
            // A list of one or none tells a place that is kept (0), filled or gone.
            func standing() throws -> [Int] {
                try responses.find(principal: "root", key: "k").map { [$0.status ?? 0] } ?? []
            }
            var statuses: [[Int]] = []
            try responses.reserve(principal: "root", key: "k", requestHash: [1], now: storeEpoch)
            try responses.reserve(principal: "root", key: "k", requestHash: [2], now: seconds(60))
            try responses.fill(principal: "root", key: "k", reservedAt: storeEpoch, status: 200, body: "late")
            try responses.release(principal: "root", key: "k", reservedAt: storeEpoch)
            statuses.append(try standing())
            try responses.fill(principal: "root", key: "k", reservedAt: seconds(60), status: 201, body: "")
            try responses.fill(principal: "root", key: "k", reservedAt: seconds(60), status: 500, body: "again")
            try responses.release(principal: "root", key: "k", reservedAt: seconds(60))
            statuses.append(try standing())
            try responses.reserve(principal: "root", key: "k", requestHash: [3], now: seconds(120))
            try responses.release(principal: "root", key: "k", reservedAt: seconds(120))
            statuses.append(try standing())
            return statuses
        }
        #expect(statuses == [[0], [201], []])
    }
}
