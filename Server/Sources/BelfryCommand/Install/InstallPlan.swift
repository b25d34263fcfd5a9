/// What an installation does with each file. It is decided for all files before the first is written.
struct InstallPlan: Equatable {
    struct Step: Equatable {
        enum Work: Equatable {
            case write
            /// Leaves the file: it already has this text.
            case leave
            /// Keeps the file: it belongs to the operator, with any content.
            case keep
        }

        let file: ServiceFiles.File
        let work: Work
    }

    let steps: [Step]

    /// - Parameters:
    ///   - found: returns the bytes of the file at a path; nil when there is no file.
    ///   - force: whether changed files are overwritten.
    init(_ files: [ServiceFiles.File], force: Bool, found: (String) throws -> [UInt8]?) throws {
        var steps: [Step] = []
        var changed: [String] = []
        for file in files {
            guard let bytes = try found(file.path) else {
                steps.append(Step(file: file, work: .write))
                continue
            }
            if bytes.elementsEqual(file.text.utf8) {
                steps.append(Step(file: file, work: .leave))
            } else if file.isKept {
                steps.append(Step(file: file, work: .keep))
            } else {
                if !force { changed.append(file.path) }
                steps.append(Step(file: file, work: .write))
            }
        }
        guard changed.isEmpty else { throw InstallError.changed(changed) }
        self.steps = steps
    }
}

enum InstallError: Error, CustomStringConvertible {
    case changed([String])
    case notReadable(String)
    case notWritable(String)
    case program(String)
    case hiddenProgram(String)

    var description: String {
        switch self {
        case .changed(let paths):
            """
            Not as this version writes \(paths.count == 1 ? "it" : "them"), so nothing was changed: \
            \(paths.joined(separator: ", ")). Compare with 'belfry install --print', put changes of your own into a \
            drop-in ('systemctl edit belfry'), and overwrite with --force.
            """
        case .notReadable(let path): "The file \(path) cannot be read. Run this as root, and check that it is a file."
        case .notWritable(let path): "The file \(path) cannot be written. Run this as root, or name a folder by --root."
        case .program(let path):
            """
            The program cannot be '\(path.prefix(256).printable)'. It must be an absolute path of letters, digits and \
            / . _ + -.
            """
        case .hiddenProgram(let path):
            """
            The program is at \(path), which the service cannot see. Copy it to /usr/local/bin/belfry and run it from \
            there, or name another place by --program.
            """
        }
    }
}
