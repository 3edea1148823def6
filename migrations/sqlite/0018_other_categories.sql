-- Who is not of the category that most people are of: what everybody owes is counted by categories.
CREATE INDEX people_of_other_categories ON users (id, category) WHERE category <> 'Student';
