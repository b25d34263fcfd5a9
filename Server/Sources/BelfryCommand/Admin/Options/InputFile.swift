import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryWire
import Foundation
import NIOSSL

/// A file that is named on the command line; `-` means standard input.
struct InputFile: Hashable, Sendable {
    /// The largest body that the server accepts, in bytes.
    static let maximumBytes = WireLimits.maximumBodyBytes

    let path: String
    /// The option that named the file, for error messages; nil when no option did.
    let option: String?

    init(_ path: String, option: String?) {
        self.path = path
        self.option = option
    }

    func text() throws(InputFileError) -> String {
        guard let text = String(validating: try bytes(), as: UTF8.self) else { throw error(.notText) }
        return text
    }

    /// The file's JSON, unchanged: if it were decoded and encoded again, it would lose what this version does not know,
    /// and the server could not name it in an error.
    func json() throws(InputFileError) -> Data {
        let bytes = try bytes()
        do {
            try JSONInput.check(bytes)
        } catch {
            throw self.error(.json(error))
        }
        return Data(bytes)
    }

    /// The public keys of an identity provider. Throws for a private key, which must not be sent.
    func publicKeys() throws(InputFileError) -> JSONWebKeySet {
        let bytes = try bytes()
        let set: JSONWebKeySet
        do {
            set = try JSONInput.decode(JSONWebKeySet.self, from: bytes)
        } catch {
            throw self.error(.json(error))
        }
        for (index, key) in set.keys.enumerated() {
            if let member = key.secretMembers.first { throw error(.secret(member: "keys[\(index)].\(member)")) }
        }
        return set
    }

    /// One or more certificates in PEM.
    func certificates() throws(InputFileError) -> [NIOSSLCertificate] {
        let bytes = try bytes()
        guard let found = try? NIOSSLCertificate.fromPEMBytes(bytes), !found.isEmpty else {
            throw error(.noCertificate)
        }
        return found
    }

    private func bytes() throws(InputFileError) -> [UInt8] {
        let handle = try open()
        let data: Data?
        do {
            data = try handle.read(upToCount: Self.maximumBytes + 1)
        } catch {
            throw self.error(.notReadable)
        }
        let bytes = [UInt8](data ?? Data())
        guard bytes.count <= Self.maximumBytes else { throw error(.tooLarge) }
        return bytes
    }

    private func open() throws(InputFileError) -> FileHandle {
        if path == "-" { return .standardInput }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { throw error(.missing) }
        guard !isFolder.boolValue else { throw error(.folder) }
        guard let handle = FileHandle(forReadingAtPath: path) else { throw error(.notReadable) }
        return handle
    }

    private func error(_ reason: InputFileError.Reason) -> InputFileError {
        InputFileError(file: self, reason: reason)
    }
}

/// Why a file cannot be used, and what to do.
struct InputFileError: Error, CustomStringConvertible {
    enum Reason: Hashable, Sendable {
        case missing, folder, notReadable, tooLarge, notText, noCertificate
        case json(JSONInputError)
        case secret(member: String)
    }

    let file: InputFile
    let reason: Reason

    private var name: String {
        if file.path == "-" { return "Standard input (\(file.option ?? "-"))" }
        return "The file \(file.path)" + (file.option.map { " (\($0))" } ?? "")
    }

    var description: String {
        switch reason {
        case .missing: "\(name) does not exist. Check its name and folder."
        case .folder: "\(name) is a folder. Give a file."
        case .notReadable: "\(name) cannot be read. Check its owner and permissions."
        case .tooLarge: "\(name) is too large: servers accept at most \(InputFile.maximumBytes) bytes."
        case .notText: "\(name) is not UTF-8 text. Is it the right file?"
        case .noCertificate: "\(name) contains no PEM certificate ('-----BEGIN CERTIFICATE-----')."
        case .json(let error): "\(name) \(error)."
        case .secret(let member):
            "\(name) contains a private key (\(member)), which must stay secret. Give a file with only public keys."
        }
    }
}
