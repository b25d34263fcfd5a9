import BelfryModel
import BelfryStore
import Foundation

/// Why a deployment cannot be moved, or why a move stopped.
enum MoveError: Error, Hashable, CustomStringConvertible {
    case noDatabase
    case noStore(path: String)
    case oldSource(found: Int, needed: Int)
    case newSource(found: Int, known: Int)
    case keyless(table: String)
    case inUse(target: String)
    case distributed(target: String)
    case anotherSource(target: String)
    case anotherSchema(target: String, found: Int, needed: Int)
    case finished(target: String, at: Date)
    case nothingMoved(target: String)
    case otherTables(table: String, difference: String)
    case unmovable(table: String, column: String, key: String, problem: RowError.Problem)
    case stopped(table: String, reason: String)

    private static let startOver = "Create an empty database and move the deployment into it."

    var description: String {
        switch self {
        case .noDatabase:
            "Name the PostgreSQL database to move to, with --database postgres://… or BELFRY_DATABASE."
        case .noStore(let path):
            "There is no SQLite deployment in \(path): belfry.sqlite is missing. Name the directory with --data."
        case .oldSource(let found, let needed):
            "The deployment has schema \(found), this program moves schema \(needed). Start this version of "
                + "'belfry serve' on it once, stop it, and try again."
        case .newSource(let found, let known):
            "The deployment has schema \(found), this program has \(known). Use the version of belfry that it ran with."
        case .keyless(let table): "The table '\(table)' has no primary key, so it cannot be moved."
        case .inUse(let target):
            "\(target) contains tables already, which no unfinished move created. Nothing was changed. \(Self.startOver)"
        case .distributed(let target):
            "\(target) is distributed over several servers, and a move writes to one. Nothing was changed. Create an empty "
                + "database that is not distributed, move the deployment into it, and start the server there with "
                + "--distributed --copy-rows."
        case .anotherSource(let target):
            "\(target) belongs to the move of another deployment. Nothing was changed. \(Self.startOver)"
        case .anotherSchema(let target, let found, let needed):
            "The move into \(target) began with schema \(found), and this program has \(needed). Nothing was changed. "
                + "Finish it with the version that began it, or: \(Self.startOver)"
        case .finished(let target, let date):
            "The deployment was moved into \(target) at \(Timestamp.text(date)), and servers may have used it since. "
                + "Nothing was changed. --verify-only compares both."
        case .nothingMoved(let target): "No deployment was moved into \(target), so there is nothing to verify."
        case .otherTables(let table, let difference):
            "The table '\(table)' cannot be moved as it is: \(difference). If the server ran since the move began: "
                + Self.startOver
        case .unmovable(let table, let column, let key, .nullCharacter):
            "The column '\(column)' of the row \(key) of the table '\(table)' contains the null character, which "
                + "PostgreSQL cannot hold. With --replace-null-characters each becomes U+FFFD."
        case .unmovable(let table, let column, let key, .otherKind(let wanted)):
            "The column '\(column)' of the row \(key) of the table '\(table)' does not contain \(Self.words(wanted)), "
                + "as it must in PostgreSQL. Correct it with SQLite's own tools, and run the command again."
        case .stopped(let table, let reason):
            "The move stopped in the table '\(table)': \(reason)\nWhat was moved stays. Run the same command again to "
                + "continue."
        }
    }

    private static func words(_ kind: TableShape.Kind) -> String {
        switch kind {
        case .integer: "an integer"
        case .real: "a floating-point number"
        case .text: "a text"
        case .bytes: "bytes"
        }
    }
}
