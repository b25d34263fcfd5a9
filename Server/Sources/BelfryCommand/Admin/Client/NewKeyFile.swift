import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file for a private key that a command generates. Only its owner can read it, and it never replaces an existing
/// file.
struct NewKeyFile: Hashable, Sendable {
    let path: String
    /// The option that named the file, for error messages.
    let option: String

    init(_ path: String, option: String) {
        self.path = path
        self.option = option
    }

    func write(_ text: String) throws(NewKeyFileError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw NewKeyFileError(file: self, reason: errno == EEXIST ? .exists : .notWritable)
        }
        let handle = FileHandle(fileDescriptor: descriptor)
        defer { try? handle.close() }
        do {
            try handle.write(contentsOf: Data((text + "\n").utf8))
            try handle.synchronize()
        } catch {
            throw NewKeyFileError(file: self, reason: .notWritable)
        }
    }
}

/// Why no key was made, and what to do.
struct NewKeyFileError: Error, CustomStringConvertible {
    enum Reason: Hashable, Sendable {
        case exists, notWritable
    }

    let file: NewKeyFile
    let reason: Reason

    var description: String {
        switch reason {
        case .exists:
            "The file \(file.path) (\(file.option)) already exists and is not overwritten. Leave out --generate to use "
                + "its key, or give another file."
        case .notWritable:
            "The file \(file.path) (\(file.option)) cannot be written. Check its folder, its owner and the free space."
        }
    }
}
