import Foundation
import Testing

/// `Scripts/attack` is what operators and reviewers run by hand (`make attack`). Here are the attacks that wait for nothing
/// and measure no time; a server is started for each of them.
@Suite("The attacks that anybody can repeat")
struct AttackTests {
    @Test(
        "SEC-4 to SEC-12: none of the quick attacks on the real program gets through, and each says what was answered",
        .timeLimit(.minutes(15))
    )
    func quickAttacks() async throws {
        let program = try ProgramFile.locate().path
        try await withStage { stage in
            let script = "python3 '\(ProjectFile.url("Scripts/attack").path)' --quick --program '\(program)'"
            // It fails if one of them does.
            let lines = try await stage.shell(script).split(separator: "\n")
            let held = lines.filter { $0.hasPrefix("held ") }
            #expect(held.count >= 15, "\(lines)")
            // Where the machine has no address but loopback.
            let skipped = lines.filter { $0.hasPrefix("skipped ") }
            #expect(held.count + skipped.count == lines.count && skipped.count <= 1, "\(lines)")
            let answers = held.filter { $0.contains(#"each 200 {"devices":0}"#) }
            #expect(answers.count == 1, "the answers are shown: \(lines)")
        }
    }
}
