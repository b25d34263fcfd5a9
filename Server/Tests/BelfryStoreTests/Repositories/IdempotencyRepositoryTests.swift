import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct IdempotencyRepositoryTests {
    @Test("ADM-3: a place is kept, filled and found again, by principal and key", arguments: Engine.allCases)
    func roundTrip(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let rows = try await store.write { connection -> [IdempotentAnswerRow?] in
            let answers = connection.idempotency
            let before = try answers.find(principal: "root", key: "k")
            try answers.reserve(principal: "root", key: "k", requestHash: [0, 255, 7], now: storeEpoch)
            let reserved = try answers.find(principal: "root", key: "k")
            try answers.fill(principal: "root", key: "k", reservedAt: storeEpoch, status: 201, body: "sealed")
            return [
                before, reserved, try answers.find(principal: "root", key: "k"),
                try answers.find(principal: "root", key: "K"), try answers.find(principal: "key-1", key: "k"),
            ]
        }
        #expect(rows[0] == nil && rows[3] == nil && rows[4] == nil)
        let reserved = try #require(rows[1])
        #expect(reserved.status == nil && reserved.requestHash == [0, 255, 7] && reserved.createdAt == storeEpoch)
        let filled = try #require(rows[2])
        #expect(filled.status == 201 && filled.body == "sealed" && filled.requestHash == [0, 255, 7])
    }

    @Test(
        "ADM-3: only who kept the place last fills it or gives it back, and an answer stays", arguments: Engine.allCases
    )
    func owners(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let statuses = try await store.write { connection -> [[Int]] in
            let answers = connection.idempotency
            // A list of one or none tells a place that is kept (0), filled or gone.
            func standing() throws -> [Int] {
                try answers.find(principal: "root", key: "k").map { [$0.status ?? 0] } ?? []
            }
            var statuses: [[Int]] = []
            try answers.reserve(principal: "root", key: "k", requestHash: [1], now: storeEpoch)
            try answers.reserve(principal: "root", key: "k", requestHash: [2], now: seconds(60))
            try answers.fill(principal: "root", key: "k", reservedAt: storeEpoch, status: 200, body: "late")
            try answers.release(principal: "root", key: "k", reservedAt: storeEpoch)
            statuses.append(try standing())
            try answers.fill(principal: "root", key: "k", reservedAt: seconds(60), status: 201, body: "")
            try answers.fill(principal: "root", key: "k", reservedAt: seconds(60), status: 500, body: "again")
            try answers.release(principal: "root", key: "k", reservedAt: seconds(60))
            statuses.append(try standing())
            try answers.reserve(principal: "root", key: "k", requestHash: [3], now: seconds(120))
            try answers.release(principal: "root", key: "k", reservedAt: seconds(120))
            statuses.append(try standing())
            return statuses
        }
        #expect(statuses == [[0], [201], []])
    }
}
