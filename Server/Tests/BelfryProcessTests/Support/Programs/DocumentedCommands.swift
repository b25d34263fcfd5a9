import Foundation
import Testing

/// The commands in the project's documents.
enum DocumentedCommands {
    /// The first code block below a marker in one of the documents.
    static func block(after mark: String, in document: String) throws -> String {
        let text = try ProjectFile.text(document)
        let below = try #require(text.range(of: mark), "\(document) has no \(mark)")
        let start = try #require(text.range(of: "```sh\n", range: below.upperBound..<text.endIndex))
        let end = try #require(text.range(of: "\n```", range: start.upperBound..<text.endIndex))
        return String(text[start.upperBound..<end.lowerBound])
    }

    /// The pages for operators, from the project's folder.
    static func operatorsPages() throws -> [String] {
        let folder = "Docs/Operations"
        let names = try FileManager.default.contentsOfDirectory(atPath: ProjectFile.url(folder).path)
        return ["Docs/Operations.md"] + names.filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
    }

    /// Every line of the blocks for a shell; a line that goes on in the next is one with it.
    static func lines(of document: String) throws -> [String] {
        var lines: [String] = []
        var isInside = false
        var isOpen = false
        for line in try ProjectFile.text(document).split(separator: "\n") {
            guard !line.hasPrefix("```") else {
                isInside = line == "```sh"
                continue
            }
            guard isInside else { continue }
            let text = line.hasSuffix("\\") ? line.dropLast() : line
            if isOpen { lines[lines.count - 1] += text } else { lines.append(String(text)) }
            isOpen = line.hasSuffix("\\")
        }
        return lines
    }

    /// The words of a shell's line: quotes hold one together; a comment and a redirection are none.
    static func words(_ line: Substring) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word?.append(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                if let word { words.append(word) }
                word = nil
            } else if character == "#", word == nil {
                break
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return words.filter { !$0.hasPrefix(">") }
    }
}

extension Stage {
    /// Runs a script in the stage's folder; returns what it printed, on both its outputs.
    func shell(_ script: String, environment: [String: String] = [:]) async throws -> String {
        let output = folder.appending(path: "output-\(UUID().uuidString).txt")
        let run = try ProgramRun.start(
            ["-c", "cd '\(folder.path)' && { \(script)\n} >'\(output.path)' 2>&1"],
            program: URL(filePath: "/bin/bash"), environment: environment, folder: folder
        )
        let exit = await run.exit
        let text = try String(contentsOf: output, encoding: .utf8)
        #expect(exit == .code(0), "\(text)")
        return text
    }
}
