import BelfryServerTestSupport
import BelfryTestSupport
import Testing

/// FLEET-2: to devices and operators it makes no difference where the row of a dead device lies.
struct DormancyPropertyTests {
    private typealias Lives = (moved: DormancyLife, still: DormancyLife)

    @Test(
        "FLEET-2: whether dead devices are moved or not, everybody is answered the same, and the same is left at the end",
        arguments: Endurance.seeds(12, brief: 4)
    )
    func transparent(seed: UInt64) async throws {
        let lives = try await Self.undisturbed(seed)
        let (moved, still) = (lives.moved.answers, lives.still.answers)
        #expect(moved.count == still.count)
        for (number, answers) in zip(moved, still).enumerated() {
            #expect(answers.0 == answers.1, "seed \(seed), answer \(number)")
        }
        // So that it can fail.
        #expect(lives.moved.dormant.allSatisfy { $0 > 0 } && lives.still.dormant.allSatisfy { $0 == 0 })
        let (left, expected) = (try await lives.moved.contents(), try await lives.still.contents())
        #expect(left.keys.sorted() == expected.keys.sorted())
        for (table, rows) in expected { #expect(left[table] == rows, "seed \(seed), \(table)") }
    }

    /// Two lives by the same dice. A transaction that has to run again draws from the dice and uses numbers up, so
    /// there is another try then.
    private static func undisturbed(_ seed: UInt64) async throws -> Lives {
        var found: Lives?
        for _ in 0..<10 where found == nil {
            var lives: [DormancyLife] = []
            for movesDead in [true, false] {
                var life = try await DormancyLife(seed: seed, movesDead: movesDead)
                for _ in 0..<3 { try await life.pass() }
                lives.append(life)
            }
            let repeated = lives.compactMap { TestPostgres.repeated(in: $0.world.database) }
            if repeated.allSatisfy({ $0 == 0 }) { found = (moved: lives[0], still: lives[1]) }
        }
        return try #require(found, "transactions stood in each other's way each time")
    }
}
