import BelfryModel
import BelfryServices
import BelfryStore
import Foundation

/// The operator's steps after a move: what is in the data directory's files and not in the database must be transferred
/// by hand.
struct MoveSteps: Sendable {
    let folder: String
    /// Whether the secret is in the data directory, because no setting gave it.
    let isSecretInFolder: Bool
    let isAdminKeyInFolder: Bool
    /// Credentials that cannot be decrypted with the secret, such as `shop/apns`.
    let sealed: [String]

    init(folder: String, isSecretInFolder: Bool, isAdminKeyInFolder: Bool, sealed: [String]) {
        self.folder = folder
        self.isSecretInFolder = isSecretInFolder
        self.isAdminKeyInFolder = isAdminKeyInFolder
        self.sealed = sealed
    }

    /// - Parameter secret: the secret from the settings; nil: the one in the data directory.
    init(_ directory: DataDirectory, secret: String?, source: any SQLConnection) throws {
        let files = FileManager.default
        let isSecretInFolder = secret == nil && files.fileExists(atPath: directory.secretKey.path)
        let stored = isSecretInFolder ? try directory.secret(directory.secretKey) { "" } : secret
        self.init(
            folder: directory.url.path, isSecretInFolder: isSecretInFolder,
            isAdminKeyInFolder: files.fileExists(atPath: directory.adminKey.path),
            sealed: try Self.sealed(in: source, secret: stored)
        )
    }

    func lines(isFinished: Bool, isVerification: Bool) -> [String] {
        guard isFinished else {
            return isVerification ? ["Run the command without --verify-only: the move is not finished."] : []
        }
        guard !isVerification else { return [] }
        return secretLines + [
            "Start the server with BELFRY_DATABASE (or --database) and the same --data \(folder)"
                + (isAdminKeyInFolder ? ", where its admin key and the browser SDK's former versions are" : "")
                + ". Other processes need a copy of that folder without belfry.sqlite.",
            "Check it with 'belfry doctor' and the same settings.",
            "Never start a server on \(folder)/belfry.sqlite again: it would send campaigns a second time. Keep the "
                + "file until you have a backup of the database, then delete it.",
        ]
    }

    private var secretLines: [String] {
        var lines: [String] = []
        if !sealed.isEmpty {
            lines.append(
                "Look for the server's secret: the one that was found does not open the credentials of "
                    + sealed.joined(separator: ", ") + ". With another secret all devices are logged out.")
        }
        lines.append(
            isSecretInFolder
                ? "Give each server the secret of this deployment: BELFRY_SECRET_KEY=\"$(cat \(folder)/secret-key)\". "
                    + "Without it the tokens of all devices and the sealed credentials are void."
                : "Give each server the BELFRY_SECRET_KEY that this deployment had. With another one the tokens of all "
                    + "devices and the sealed credentials are void.")
        return lines
    }

    private static func sealed(in source: any SQLConnection, secret: String?) throws -> [String] {
        let vault = CredentialVault(keys: ServerKeys(secret: Array((secret ?? "").utf8)))
        return try source.apps.all().flatMap { app in
            try source.credentials.all(app: app.id).filter { provider, record in
                !vault.opens(record.sealed, of: provider, app: app.id)
            }.keys.map { "\(app.code.rawValue)/\($0.rawValue)" }.sorted()
        }
    }
}

extension CredentialVault {
    /// Whether the credentials were encrypted with this secret.
    fileprivate func opens(_ sealed: [UInt8], of provider: PushProvider, app: Int64) -> Bool {
        switch provider {
        case .apns: (try? open(APNsSecret.self, sealed, app: app)) != nil
        case .fcm: (try? open(FCMSecret.self, sealed, app: app)) != nil
        case .webpush: (try? open(WebPushSecret.self, sealed, app: app)) != nil
        }
    }
}
