import { afterEach, describe, expect, it } from 'vitest'
import { chooseLanguage, loadWords } from './messages'
import { ProblemError } from './problem'

afterEach(async () => {
  await chooseLanguage('en')
})

describe('a problem', () => {
  const problem = (sent: Partial<ConstructorParameters<typeof ProblemError>[0]>) =>
    new ProblemError({ status: 422, code: 'invalid', detail: 'In English.', ...sent })

  it('is shown in the language of the page, its field and the field’s label too', async () => {
    await loadWords('common')
    await chooseLanguage('hi')
    expect(problem({ status: 401, code: 'not-signed-in' }).message).toBe('पहले साइन इन करें।')
    expect(problem({ status: 429, code: 'too-many-requests', params: { seconds: 40, minutes: 0 } }).message).toBe(
      'बहुत बार कोशिश हुई। 40 सेकंड रुककर फिर कोशिश करें।',
    )
    const name = { field: 'name', rule: 'required', params: { label: 'Full name' }, message: 'Full name is required.' }
    const wrong = problem({ errors: [name] })
    expect(wrong.fields).toEqual({ name: 'पूरा नाम भरना ज़रूरी है।' })
    expect(wrong.message).toBe('पूरा नाम भरना ज़रूरी है।')
    const both = [name, { field: 'x', rule: 'missing', params: {}, message: 'This field is missing.' }]
    expect(problem({ params: { count: 2 }, errors: both }).message).toBe('2 फ़ील्ड पर ध्यान दें।')
  })

  it('tells every reason of a refusal', async () => {
    await loadWords('common')
    await chooseLanguage('hi')
    const blocks = [
      { code: 'block.inRepair', facts: {}, text: 'This copy is in repair.' },
      { code: 'block.madeTomorrow', facts: {}, text: 'Words of tomorrow.' },
    ]
    expect(problem({ status: 409, code: 'refused', blocks }).message).toBe('यह प्रति मरम्मत में है। Words of tomorrow.')
  })

  it('about the state of a copy names the state in the language of the page', async () => {
    await loadWords('common')
    const refused = () => problem({ status: 409, code: 'copy-state', params: { from: 'on-loan', to: 'in-repair' } })
    expect(refused().message).toBe('A copy that is on loan cannot become in repair.')
    await chooseLanguage('hi')
    expect(refused().message).toBe('“उधार पर” स्थिति की प्रति “मरम्मत में” नहीं हो सकती।')
  })

  it('of a rule that this page does not know is shown in the words of the server', () => {
    const error = { field: 'a', rule: 'madeTomorrow', params: {}, message: 'Not like this.' }
    expect(problem({ errors: [error] }).fields).toEqual({ a: 'Not like this.' })
  })
})
