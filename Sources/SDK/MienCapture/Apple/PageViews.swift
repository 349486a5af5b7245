#if canImport(SwiftUI) && canImport(UIKit)
internal import MienAPI
internal import SwiftUI

struct WaitingView: View {
    let text: String

    var body: some View {
        VStack(spacing: 16) {
            ProgressView()
            Text(text)
        }
        .padding()
    }
}

/// The buttons of a screen, the main one first.
struct ChoiceButtons: View {
    let buttons: [CaptureButton]
    let choose: (CaptureChoice) -> Void

    var body: some View {
        VStack(spacing: 8) {
            ForEach(buttons, id: \.label) { button in
                if button.role == .primary {
                    Button(button.label) { choose(button.choice) }
                        .buttonStyle(.borderedProminent)
                        .controlSize(.large)
                } else {
                    Button(button.label, role: button.role == .destructive ? .destructive : nil) {
                        choose(button.choice)
                    }
                    .controlSize(.large)
                }
            }
        }
    }
}

/// A title, a few lines, and buttons.
struct PageView: View {
    let page: CapturePage
    let choose: (CaptureChoice) -> Void

    var body: some View {
        ScrollView {
            VStack(spacing: 16) {
                if let symbol = page.sign.symbol {
                    Image(systemName: symbol)
                        .font(.system(size: 64))
                        .accessibilityHidden(true)
                }
                Text(page.title)
                    .font(.title2.bold())
                    .multilineTextAlignment(.center)
                    .accessibilityAddTraits(.isHeader)
                ForEach(page.lines, id: \.self) { line in
                    Text(line).multilineTextAlignment(.center)
                }
                if let terms = page.terms {
                    Text(terms).frame(maxWidth: .infinity, alignment: .leading)
                }
                ForEach(page.rows, id: \.title) { row in RowView(row: row, choose: choose) }
                ChoiceButtons(buttons: page.buttons, choose: choose)
            }
            .padding()
        }
    }
}

struct RowView: View {
    let row: CapturePage.Row
    let choose: (CaptureChoice) -> Void

    var body: some View {
        HStack {
            VStack(alignment: .leading) {
                Text(row.title).font(.headline)
                Text(row.detail).foregroundStyle(.secondary)
            }
            Spacer()
            if let button = row.button {
                Button(button.label) { choose(button.choice) }
                    .accessibilityLabel("\(button.label): \(row.title)")
            }
        }
    }
}

/// The country and the type of the document.
struct DocumentsView: View {
    let choices: DocumentChoices
    @ObservedObject var model: CaptureModel

    var body: some View {
        VStack(spacing: 16) {
            Text(choices.title).font(.title2.bold()).accessibilityAddTraits(.isHeader)
            // A menu shows its choice, not its label; a screen reader says both.
            Text(choices.countryLabel).font(.headline).accessibilityHidden(true)
            Picker(choices.countryLabel, selection: $model.country) {
                Text(choices.none).tag(String?.none)
                ForEach(choices.countries, id: \.code) { country in
                    Text(country.name).tag(String?.some(country.code))
                }
            }
            Text(choices.typeLabel).font(.headline).accessibilityHidden(true)
            Picker(
                choices.typeLabel, selection: Binding(get: { chosen }, set: { model.type = $0 })
            ) {
                if chosen == nil { Text(choices.noType).tag(DocumentChoices.Kind?.none) }
                ForEach(kinds, id: \.type) { kind in
                    Text(kind.name).tag(DocumentChoices.Kind?.some(kind))
                }
            }
            Button(choices.goOn.label) {
                if let country = model.country, let chosen {
                    model.choose(.document(country: country, type: chosen.type))
                }
            }
            .buttonStyle(.borderedProminent)
            .controlSize(.large)
            .disabled(chosen == nil)
            Button(choices.cancel.label) { model.choose(choices.cancel.choice) }
        }
        .padding()
    }

    private var kinds: [DocumentChoices.Kind] { model.country.flatMap { choices.kinds[$0] } ?? [] }

    /// The person's choice, if the country has it; its only type without a choice.
    private var chosen: DocumentChoices.Kind? {
        kinds.count == 1 ? kinds[0] : kinds.first { $0 == model.type }
    }
}

/// The movements that the person cannot do.
struct OmissionsView: View {
    let choices: OmissionChoices
    @ObservedObject var model: CaptureModel

    var body: some View {
        VStack(spacing: 16) {
            Text(choices.title).font(.title2.bold()).accessibilityAddTraits(.isHeader)
            Text(choices.text)
            ForEach(choices.movements, id: \.name) { movement in
                Toggle(
                    movement.name,
                    isOn: Binding(
                        get: { model.omitted.contains(movement) },
                        set: { isOn in
                            if isOn {
                                model.omitted.insert(movement)
                            } else {
                                model.omitted.remove(movement)
                            }
                        }))
            }
            Button(choices.goOn) {
                model.choose(
                    .omit(choices.movements.filter(model.omitted.contains).map(\.action)))
            }
            .buttonStyle(.borderedProminent)
            .controlSize(.large)
            ChoiceButtons(buttons: choices.buttons, choose: model.choose)
        }
        .padding()
    }
}

extension CapturePage.Sign {
    fileprivate var symbol: String? {
        switch self {
        case .none: nil
        case .success: "checkmark.circle"
        case .failure: "exclamationmark.circle"
        case .wait: "questionmark.circle"
        case .face: "person.crop.circle"
        case .card: "person.text.rectangle"
        case .cardBack: "creditcard"
        case .passport: "book.closed"
        }
    }
}
#endif
