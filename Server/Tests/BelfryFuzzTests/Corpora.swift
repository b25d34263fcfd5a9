import Foundation

/// What is in `Fuzzing/` beside the targets: a folder of inputs for each, and the dictionary.
enum Corpora {
    struct File {
        let name: String
        let bytes: [UInt8]
    }

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzzing")

    /// The folders, by their names.
    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("Corpora").path)
            .filter { !$0.hasPrefix(".") }.sorted()
    }

    static func files(of target: String) throws -> [File] {
        let folder = root.appendingPathComponent("Corpora").appendingPathComponent(target)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { !$0.hasPrefix(".") }.sorted()
            .map { File(name: $0, bytes: Array(try Data(contentsOf: folder.appendingPathComponent($0)))) }
    }

    /// The words of the dictionary, in the form that libFuzzer reads: `name="text"`, with `\"`, `\\` and `\xAB`.
    static func dictionary() throws -> [[UInt8]] {
        let text = try String(contentsOf: root.appendingPathComponent("hostile-unicode.dict"), encoding: .utf8)
        return text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { word(of: Array($0)) }
    }

    private static func word(of line: [UInt8]) -> [UInt8]? {
        guard line.first != UInt8(ascii: "#"), let opening = line.firstIndex(of: UInt8(ascii: "\"")),
            let closing = line.lastIndex(of: UInt8(ascii: "\"")), opening < closing
        else { return nil }
        var word: [UInt8] = []
        var rest = line[(opening + 1)..<closing]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
                word.append(byte)
                continue
            }
            guard kind == UInt8(ascii: "x") else {
                word.append(kind)
                continue
            }
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
            word.append(value)
            rest = rest.dropFirst(2)
        }
        return word
    }

    /// An input for a message: bytes that are none of ASCII's visible ones as `\xAB`.
    static func shown(_ bytes: [UInt8]) -> String {
        bytes.prefix(200).map { byte in
            (0x20...0x7E).contains(byte)
                ? String(UnicodeScalar(byte)) : "\\x" + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
