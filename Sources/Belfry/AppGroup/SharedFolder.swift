import BelfryModel
import BelfryRules
import Foundation

/// The folder that an app and its notification service extension share (PUSH-8): a brief of the app for the extension,
/// and the extension's notes for the app.
///
/// It needs no lock: each file is written whole under another name and renamed, is written by one side only, and is
/// removed by one side only. So neither process ever waits for the other, a kill at any instant leaves a file or none,
/// and iOS, which kills a suspended process that holds a lock on a file in the container of an app group (0xdead10cc),
/// has nothing to find. The database with the queue is not in here, for the same reason.
package struct SharedFolder: Sendable {
    /// The number of notes that wait for the app; beyond it the oldest are dropped.
    package static let maximumNotes = 500
    /// The maximum size of a note in bytes: as much as a push, and a little more.
    static let maximumNoteBytes = 2 * ReceivedPush.maximumBytes
    private static let maximumBriefBytes = 262_144

    private let root: URL
    private var notesFolder: URL { root.appendingPathComponent("notes", isDirectory: true) }
    private var briefFile: URL { root.appendingPathComponent("app.json") }
    private var tokenFile: URL { root.appendingPathComponent("token.json") }

    /// - Parameters:
    ///   - directory: the container of the app group, or a folder in it.
    ///   - appCode: the folder is separate for each app of an organization.
    package init(_ directory: URL, appCode: AppCode) {
        root = directory.appendingPathComponent("Belfry", isDirectory: true)
            .appendingPathComponent(appCode.rawValue, isDirectory: true)
    }
}

// MARK: - The app's brief

extension SharedFolder {
    /// The latest brief of the app; nil before the app was ever opened, and while the device is locked after a restart.
    package func brief() -> ExtensionBrief? {
        Self.read(ExtensionBrief.self, at: briefFile, maximumBytes: Self.maximumBriefBytes)
    }

    /// - Returns: whether it is stored.
    func publish(_ brief: ExtensionBrief) -> Bool {
        write(brief, to: briefFile)
    }

    /// The contact token that the extension got for a refresh token of the brief.
    package func renewedToken(for refreshToken: String) -> String? {
        let kept = Self.read(RenewedToken.self, at: tokenFile, maximumBytes: Self.maximumBriefBytes)
        return kept?.refreshToken == refreshToken ? kept?.contactToken : nil
    }

    package func keep(_ token: RenewedToken) {
        _ = write(token, to: tokenFile)
    }
}

// MARK: - The extension's notes

extension SharedFolder {
    /// A push arrived. A second note of one push changes nothing.
    ///
    /// - Returns: the note that counts; nil when it could not be stored.
    package func add(_ note: PushNote) -> PushNote? {
        let suffix = "-\(note.fileDigest).json"
        let names = noteNames()
        if let known = names.first(where: { $0.hasSuffix(suffix) }), let first = self.note(named: known) {
            return first
        }
        for name in names.prefix(max(0, names.count - Self.maximumNotes + 1)) { remove(named: name) }
        return write(note, to: notesFolder.appendingPathComponent(note.timeText + suffix)) ? note : nil
    }

    /// All notes, oldest first. A file with other content is removed, because it never becomes a note. A file that
    /// cannot be read stays: after a restart, no file can be read until the device is unlocked.
    package func notes() -> [PushNote] {
        noteNames().compactMap { name in
            guard let content = data(named: name) else { return nil }
            if let note = Self.note(in: content) { return note }
            remove(named: name)
            return nil
        }
    }

    func remove(_ note: PushNote) {
        remove(named: "\(note.timeText)-\(note.fileDigest).json")
    }

    /// Removes what the extension has stored (REG-36).
    func removeNotes() {
        try? FileManager.default.removeItem(at: notesFolder)
        try? FileManager.default.removeItem(at: tokenFile)
    }

    private func noteNames() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: notesFolder.path)) ?? []
        // The names begin with the time.
        return names.filter { $0.utf8.reversed().starts(with: ".json".utf8.reversed()) }.sorted()
    }

    private func note(named name: String) -> PushNote? {
        data(named: name).flatMap { Self.note(in: $0) }
    }

    private func data(named name: String) -> Data? {
        try? Data(contentsOf: notesFolder.appendingPathComponent(name))
    }

    private static func note(in data: Data) -> PushNote? {
        decoded(PushNote.self, data, maximumBytes: maximumNoteBytes)
    }

    private func remove(named name: String) {
        try? FileManager.default.removeItem(at: notesFolder.appendingPathComponent(name))
    }
}

// MARK: - Files

extension SharedFolder {
    private static func read<Value: Decodable>(_ type: Value.Type, at url: URL, maximumBytes: Int) -> Value? {
        guard let data = try? Data(contentsOf: url) else { return nil }
        return decoded(type, data, maximumBytes: maximumBytes)
    }

    private static func decoded<Value: Decodable>(_ type: Value.Type, _ data: Data, maximumBytes: Int) -> Value? {
        try? CheckedJSON.decode(type, from: data, maximumBytes: maximumBytes, maximumDepth: JSONGrammar.deepest)
    }

    /// Written atomically: the file exists completely or not at all.
    private func write(_ value: some Encodable, to url: URL) -> Bool {
        do {
            try StorageDirectory.make(at: url.deletingLastPathComponent())
            var options: Data.WritingOptions = .atomic
            #if canImport(UIKit)
                options.insert(.completeFileProtectionUntilFirstUserAuthentication)
            #endif
            try JSONEncoder().encode(value).write(to: url, options: options)
            return true
        } catch {
            return false
        }
    }
}
