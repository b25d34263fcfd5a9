import Foundation
import Testing

/// How a command ended, and what it said.
struct CommandOutcome: Sendable {
    let exit: ProgramRun.Exit
    let output: String
    let errors: String

    func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(output.utf8))
    }

    /// A table of two columns: the second by the first.
    var properties: [String: String] {
        var properties: [String: String] = [:]
        for line in output.split(separator: "\n") {
            guard let gap = line.firstRange(of: "  ") else { continue }
            properties[String(line[..<gap.lowerBound])] = line[gap.upperBound...].trimmingCharacters(in: .whitespaces)
        }
        return properties
    }

    /// Expects an error with this code, in sentences that contain all these words.
    func expectError(_ code: Int32, naming words: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(exit == .code(code), "\(errors)", sourceLocation: sourceLocation)
        #expect(output.isEmpty, sourceLocation: sourceLocation)
        for word in words {
            #expect(errors.contains(word), "does not say '\(word)': \(errors)", sourceLocation: sourceLocation)
        }
        for trace in ["Error Domain=", "Fatal error", "(errno:", "NIO", "HTTPClient", "DecodingError"] {
            #expect(!errors.contains(trace), "not for people: \(errors)", sourceLocation: sourceLocation)
        }
    }
}

extension Stage {
    /// Runs a command that speaks to a server, to its end. Its key is that of the stage's data directory.
    ///
    /// - Parameters:
    ///   - input: the file, or the terminal, that is its standard input.
    func command(
        _ arguments: [String], at address: String? = nil, input: String = "/dev/null",
        environment: [String: String] = [:]
    ) async throws -> CommandOutcome {
        let output = folder.appending(path: "output-\(UUID().uuidString).txt")
        var variables = ["BELFRY_DATA": dataDirectory.path, "COMMAND_INPUT": input, "COMMAND_OUTPUT": output.path]
        variables["BELFRY_SERVER"] = address
        let belfry = try ProgramFile.locate()
        let run = try ProgramRun.start(
            ["-c", #"exec "$0" "$@" <"$COMMAND_INPUT" >"$COMMAND_OUTPUT""#, belfry.path] + arguments,
            program: URL(filePath: "/bin/bash"), environment: variables.merging(environment) { $1 }, folder: folder
        )
        let exit = await run.exit
        return CommandOutcome(
            exit: exit, output: try String(contentsOf: output, encoding: .utf8), errors: run.standardError
        )
    }

    /// The JSON output of a command.
    func answer<Value: Decodable>(
        _ arguments: [String], at address: String, input: String = "/dev/null", as type: Value.Type = Value.self
    ) async throws -> Value {
        let outcome = try await command(arguments + ["--json"], at: address, input: input)
        try #require(outcome.exit == .code(0), "\(outcome.errors)")
        return try outcome.decoded()
    }

    /// Puts a file into the stage's folder; returns its path.
    func file(_ name: String, _ text: String) throws -> String {
        let url = folder.appending(path: name)
        try Data(text.utf8).write(to: url)
        return url.path
    }
}
