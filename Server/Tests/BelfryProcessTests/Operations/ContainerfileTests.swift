import Foundation
import Testing

@testable import BelfryProgram

@Suite("The container file")
struct ContainerfileTests {
    /// An instruction in capital letters, and the rest of its line, continued lines included.
    private struct Instruction {
        let word: String
        let rest: String

        /// The words of its JSON form (`CMD ["a", "b"]`); nil for a shell's line.
        var words: [String]? {
            guard let start = rest.firstIndex(of: "[") else { return nil }
            return try? JSONDecoder().decode([String].self, from: Data(rest[start...].utf8))
        }
    }

    private static let known: Set<String> = [
        "FROM", "RUN", "WORKDIR", "COPY", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD",
    ]

    private static func instructions() throws -> [Instruction] {
        let lines = try ProjectFile.text("Containerfile").split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.joined(separator: "\n").replacing("\\\n", with: " ").split(separator: "\n")
        return lines.map { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            return Instruction(word: String(parts[0]), rest: parts.count > 1 ? String(parts[1]) : "")
        }
    }

    /// Of the last stage: what runs.
    private static func shipped() throws -> [Instruction] {
        let all = try instructions()
        let last = try #require(all.lastIndex { $0.word == "FROM" })
        return Array(all[last...])
    }

    @Test("FLEET-10: it has two stages of known instructions; what runs is not root, is asked whether it is ready")
    func stages() throws {
        let all = try Self.instructions()
        #expect(Set(all.map(\.word)).isSubset(of: Self.known))
        #expect(all.count { $0.word == "FROM" } == 2)
        let shipped = try Self.shipped()
        func rest(_ word: String) throws -> Instruction { try #require(shipped.last { $0.word == word }) }
        let user = try rest("USER").rest.split(separator: ":").map { Int($0) ?? 0 }
        #expect(user.count == 2 && user.allSatisfy { $0 > 0 })
        #expect(try rest("STOPSIGNAL").rest == "SIGTERM")
        // The build's stage leaves one file.
        #expect(shipped.filter { $0.word == "COPY" }.map(\.rest) == ["--from=build /release/belfry /usr/bin/belfry"])
        let check = try #require(try rest("HEALTHCHECK").words)
        let entry = try #require(try rest("ENTRYPOINT").words)
        let command = try #require(try rest("CMD").words)
        #expect(check.first == "belfry" && entry == ["belfry"])
        for arguments in [Array(check.dropFirst()), command] {
            #expect(throws: Never.self) { _ = try BelfryProgram.parseAsRoot(arguments) }
        }
        let data = try rest("VOLUME").rest
        #expect(command.contains(data))
        #expect(shipped.contains { $0.word == "RUN" && $0.rest.contains("--home-dir \(data) --create-home") })
    }

    @Test("FLEET-10: it installs the packages that the released program asks for")
    func packages() throws {
        let script = try ProjectFile.text("Scripts/release")
        let line = try #require(script.split(separator: "\n").first { $0.hasPrefix("declare -A packages=") })
        let asked = line.matches(of: /\]=([a-z0-9-]+)/).map { String($0.1) }
        #expect(asked.count == 3)
        let install = try #require(try Self.shipped().first { $0.word == "RUN" }).rest.split(separator: " ").map(
            String.init)
        for package in asked + ["ca-certificates", "tzdata"] { #expect(install.contains(package), "\(package)") }
    }

    @Test(
        "FLEET-10: the container file's linter has nothing to say",
        .enabled(if: Linters.container.contains { FileManager.default.isExecutableFile(atPath: $0) })
    )
    func linted() async throws {
        try await withStage { stage in
            let linter = try #require(Linters.container.first { FileManager.default.isExecutableFile(atPath: $0) })
            let run = try ProgramRun.start(
                [ProjectFile.url("Containerfile").path], program: URL(filePath: linter), folder: stage.folder)
            var said: [String] = []
            for await line in run.lines { said.append(line) }
            #expect(await run.exit == .code(0), "\(said.joined(separator: "\n"))")
        }
    }
}
